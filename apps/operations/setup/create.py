"""What a description says that is not there yet → rows. What is there and not named stays.

A dry run makes the same rows and takes them back, so that its answer is what would happen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from apps.fleet.models import Cluster, Participation, ParticipationRole
from apps.fleet.parties import presence_subscribers
from apps.fleet.parties.host_agreements import AGREED, agree
from apps.fleet.parties.participants import USUAL_LAYERS
from apps.operations.setup.organization_rows import fill
from apps.operations.setup.parties import BadParties, ClusterDescription, OrganizationDescription
from apps.operations.setup.preset_agreements import agree_on
from apps.operations.setup.setup_run import Secret, SetupChange, SetupRun, listed
from apps.telemetry.scheduler.reports import look_again
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What was made and changed."""

    changes: Sequence[SetupChange]
    secrets: Sequence[Secret] = field(repr=False)


def make(
    *,
    described: ClusterDescription,
    now: datetime,
    is_dry: bool = False,
    is_simulated: bool = False,
    gives_links: bool = True,
) -> Made:
    """Make what is missing, all or nothing; raise BadParties. A dry run leaves no trace."""
    run = SetupRun(now=now, is_simulated=is_simulated, gives_links=gives_links)
    with transaction.atomic():
        _make(run, described)
        if run.faults:
            raise BadParties(*run.faults)
        transaction.set_rollback(is_dry)
    return Made(changes=run.changes, secrets=() if is_dry else run.secrets)


def _make(run: SetupRun, described: ClusterDescription) -> None:
    cluster = _cluster(run, described)
    made = [(party, _organization(run, party)) for party in described.parties]
    for party, organization in made:
        with organization_scope(organization.pk):
            if cluster:
                _take_part(run, organization, cluster, party)
    # A project needs its tenant to take part already.
    for party, organization in made:
        with organization_scope(organization.pk):
            fill(run, organization=organization, cluster=cluster, party=party)
    if cluster and described.agreements:
        parties = [organization for party, organization in made if party.parts]
        agree_on(run, cluster=cluster, organizations=parties, preset=described.agreements)


def _cluster(run: SetupRun, described: ClusterDescription) -> Cluster | None:
    if not described.cluster:
        return None
    cluster, is_new = Cluster.objects.get_or_create(
        slug=described.cluster,
        defaults={
            "name": described.cluster_name,
            "is_simulated": run.is_simulated,
            "created_at": run.now,
        },
    )
    # Without a name in the description the slug stands for it: that renames nothing.
    if is_new:
        run.made(f"cluster {cluster.slug} ({cluster.name})")
    elif described.cluster_name not in {cluster.name, cluster.slug}:
        run.changed(f"cluster {cluster.slug}: {cluster.name} → {described.cluster_name}")
        cluster.name = described.cluster_name
        cluster.save(update_fields=["name"])
    return cluster


def _organization(run: SetupRun, party: OrganizationDescription) -> Organization:
    organization, is_new = Organization.objects.get_or_create(
        slug=party.slug,
        defaults={"name": party.name, "is_simulated": run.is_simulated, "created_at": run.now},
    )
    if is_new:
        waits = "" if party.parts else ", without a part: an operator offers it one (Clusters page)"
        run.made(f"organization {party.slug} ({party.name}){waits}")
        run.note(organization, "organization.made", party.slug)
    elif organization.name != party.name:
        run.changed(f"organization {party.slug}: {organization.name} → {party.name}")
        organization.name = party.name
        organization.save(update_fields=["name"])
        run.note(organization, "organization.renamed", party.slug)
    return organization


def _take_part(
    run: SetupRun, organization: Organization, cluster: Cluster, party: OrganizationDescription
) -> None:
    for part in party.parts:
        layers = list(party.layers if party.layers is not None else USUAL_LAYERS[part])
        row, is_new = Participation.objects.get_or_create(
            organization=organization, cluster=cluster, part=part, defaults={"layers": layers}
        )
        answers = f"{party.slug}: {part} of {cluster.slug}, answers for"
        if is_new:
            presence_subscribers.tell_back(
                organization_id=organization.pk, cluster_id=cluster.pk, now=run.now
            )
            run.made(f"{answers} {listed(layers)}")
            run.note(organization, "participation.made", f"{cluster.slug} {part}")
        elif row.layers != layers:
            run.changed(f"{answers} {listed(row.layers)} → {listed(layers)}")
            row.layers = layers
            row.save(update_fields=["layers"])
            run.note(organization, "participation.changed", f"{cluster.slug} {part}")
        if party.hosts_agreed is not None and part in AGREED:
            _take_word(run, organization, cluster, part, is_agreed=party.hosts_agreed)


def _take_word(
    run: SetupRun,
    organization: Organization,
    cluster: Cluster,
    part: ParticipationRole,
    *,
    is_agreed: bool,
) -> None:
    changed = agree(
        cluster=cluster, slug=organization.slug, part=part, is_agreed=is_agreed, now=run.now
    )
    if changed is None:
        return
    word = "counts" if is_agreed else "is a claim"
    run.changed(f"{organization.slug}: its word for hosts of {cluster.slug} {word}, as {part}")
    action = "participation.hosts_agreed" if is_agreed else "participation.hosts_not_agreed"
    run.note(organization, action, f"{cluster.slug} {part}")
    look_again(organization_id=organization.pk, attempts=changed, now=run.now)
