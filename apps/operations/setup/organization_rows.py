"""What belongs to one organization of a description: projects, hosts, sources, tokens, people."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings

from apps.fleet.authority.project_owners import BadProject, ProjectTaken, give_project
from apps.fleet.hosts.host_aliases import MOST, AliasTaken, BadAlias, TooManyAliases, add_aliases
from apps.fleet.models import Cluster
from apps.operations.setup.parties import OrganizationDescription, Person, SourceWanted, TokenWanted
from apps.operations.setup.setup_run import COMMAND, SetupRun, listed
from apps.operations.setup.single_sign_on import fill_single_sign_on
from apps.telemetry.metrics.source_settings import BadSource, SourceSettings, change, connect
from apps.telemetry.models import Source
from apps.telemetry.retention import quota
from apps.tenancy import credentials
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Invitation, Membership, Organization, Token, User
from apps.tenancy.people import invitations
from apps.tenancy.people.invitations import InvitationWish

HOSTS_TOLD = 20
SHOWN = {"allowed_networks": "networks"}


def fill(
    run: SetupRun,
    *,
    organization: Organization,
    cluster: Cluster | None,
    party: OrganizationDescription,
) -> None:
    """Make what an organization lacks. Needs its scope."""
    if cluster:
        _fill_cluster(run, organization, cluster, party)
    for token in party.tokens:
        _token(run, organization, cluster, token)
    for person in party.people:
        _person(run, organization, person)
    if party.max_stored_bytes:
        _quota(run, organization, party)
    if party.single_sign_on:
        problem = fill_single_sign_on(run, organization=organization, wanted=party.single_sign_on)
        if problem:
            run.refuse(party, "single_sign_on", problem)
    if party.requires_second_factor not in {None, organization.requires_second_factor}:
        _second_factor(run, organization)


def _fill_cluster(
    run: SetupRun, organization: Organization, cluster: Cluster, party: OrganizationDescription
) -> None:
    for project in party.projects:
        _project(run, organization, cluster, party, project)
    if party.hosts:
        _hosts(run, organization, cluster, party)
    for source in party.sources:
        _source(run, organization, cluster, party, source)


def _project(
    run: SetupRun,
    organization: Organization,
    cluster: Cluster,
    party: OrganizationDescription,
    project: str,
) -> None:
    try:
        is_new = give_project(cluster=cluster, project=project, tenant=party.slug)
    except ProjectTaken as error:
        words = f"'{project}' belongs to {error.owner}; take it from there first (Clusters page)"
        run.refuse(party, "projects", words)
        return
    except BadProject:
        run.refuse(party, "projects", f"'{project}' needs a tenant of {cluster.slug}")
        return
    if is_new:
        run.made(f"{party.slug}: project {project}")
        run.note(organization, "project.mapped", f"{cluster.slug} {project}")


def _hosts(
    run: SetupRun, organization: Organization, cluster: Cluster, party: OrganizationDescription
) -> None:
    added = add_aliases(
        organization_id=organization.pk, cluster=cluster, hosts=party.hosts, now=run.now
    )
    for host, error in added.refused.items():
        run.refuse(party, f"hosts.{host}", _why(error))
    for host, names in list(added.news.items())[:HOSTS_TOLD]:
        also = f" is also {listed(names)}" if names else ""
        run.made(f"{party.slug}: host {host}{also}")
    if len(added.news) > HOSTS_TOLD:
        run.made(f"{party.slug}: and {len(added.news) - HOSTS_TOLD} more hosts")
    if added.news:
        run.note(organization, "host.named", f"{cluster.slug}: {len(added.news)} hosts")


def _why(error: BadAlias) -> str:
    if isinstance(error, AliasTaken):
        return f"'{error.alias}' names {error.host} already; it would join nothing"
    if isinstance(error, TooManyAliases):
        return f"a host has at most {MOST} other names"
    return f"'{error.alias}' is no name of a host"


def _source(
    run: SetupRun,
    organization: Organization,
    cluster: Cluster,
    party: OrganizationDescription,
    wanted: SourceWanted,
) -> None:
    own = Source.objects.for_organization(organization).filter(cluster=cluster)
    former = own.filter(name=wanted.name).first()
    was = {name: getattr(former, name, None) for name in wanted.values}
    news = {name: value for name, value in wanted.values.items() if was[name] != value}
    if former is not None and not news:
        return
    actor = Actor(organization=organization, rights=frozenset({Right.MANAGE}))
    try:
        if former is None:
            values = {"name": wanted.name, **wanted.values}
            source = connect(
                actor=actor, cluster=cluster, wanted=SourceSettings(values=values), now=run.now
            )
        else:
            source = change(actor=actor, source=former, wanted=SourceSettings(values=news))
    except BadSource as error:
        run.refuse(party, f"sources ({wanted.name})", str(error))
        return
    if former is None:
        run.made(f"{party.slug}: source {wanted.name}, {source.url}")
        run.note(organization, "source.added", source.public_id)
    else:
        run.changed(f"{party.slug}: source {wanted.name}, {listed(_told(was, news))}")
        run.note(organization, "source.changed", source.public_id)


def _told(was: dict[str, Any], news: dict[str, Any]) -> Sequence[str]:
    return [f"{SHOWN.get(name, name)} {was[name]} → {news[name]}" for name in sorted(news)]


def _token(
    run: SetupRun, organization: Organization, cluster: Cluster | None, wanted: TokenWanted
) -> None:
    if Token.objects.for_organization(organization).filter(name=wanted.name).exists():
        return
    issued = credentials.issue(
        organization=organization,
        name=wanted.name,
        scopes=wanted.scopes,
        # Without a part it is good for nothing there before the organization has one.
        clusters=(cluster.pk,) if cluster else (),
        expires_at=run.now + timedelta(days=wanted.days) if wanted.days else None,
        now=run.now,
    )
    lasts = f", {wanted.days} days" if wanted.days else ""
    run.made(f"{organization.slug}: token {wanted.name} ({listed(sorted(wanted.scopes))}{lasts})")
    run.show_once(organization, "token", wanted.name, issued.clear_text)
    run.note(organization, "token.issued", issued.token.prefix)


def _person(run: SetupRun, organization: Organization, wanted: Person) -> None:
    user = User.objects.filter(username=wanted.username).first()
    if user is None:
        user = User(username=wanted.username, first_name=wanted.name, email=wanted.email)
        user.set_unusable_password()
        user.save()
    membership, joins = Membership.objects.get_or_create(
        organization=organization, user=user, defaults={"role": wanted.role}
    )
    if joins:
        known = " (has an account)" if user.has_usable_password() else ""
        run.made(f"{organization.slug}: {wanted.role} {wanted.username}{known}")
        run.note(organization, "member.added", f"{wanted.username} {wanted.role}")
    elif membership.role != wanted.role:
        run.kept(
            f"{organization.slug}: {wanted.username} is {membership.role} here, not {wanted.role}"
            " (Members page)"
        )
    if run.gives_links and not user.has_usable_password():
        _link(run, organization, user, wanted)


def _quota(run: SetupRun, organization: Organization, party: OrganizationDescription) -> None:
    former = quota.own_limit_of(organization_id=organization.pk)
    wanted = quota.figure_of(text=party.max_stored_bytes)
    if wanted == former:
        return
    quota.set_limit(organization_id=organization.pk, max_bytes=wanted, actor=COMMAND, now=run.now)
    run.changed(f"{party.slug}: may keep {_may_keep(former)} → {_may_keep(wanted)}")


def _second_factor(run: SetupRun, organization: Organization) -> None:
    organization.requires_second_factor = not organization.requires_second_factor
    organization.save(update_fields=["requires_second_factor"])
    is_required = organization.requires_second_factor
    run.changed(
        f"{organization.slug}: members {'have to' if is_required else 'may'} have a second factor"
    )
    run.note(organization, f"second_factor.{'required' if is_required else 'not_required'}", "")


def _may_keep(max_bytes: int | None) -> str:
    if max_bytes is None:
        return "what everybody may"
    return quota.size_text(max_bytes) if max_bytes else "without limit"


def _link(run: SetupRun, organization: Organization, user: User, wanted: Person) -> None:
    links = Invitation.objects.for_organization(organization).filter(user=user)
    if links.filter(used_at=None, revoked_at=None, expires_at__gt=run.now).exists():
        return
    wish = InvitationWish(
        role=wanted.role,
        name=wanted.name,
        email=wanted.email,
        is_mailed=bool(settings.PORTAL_SMTP and wanted.email),
    )
    issued = invitations.issue(
        organization=organization, wish=wish, invited_by=COMMAND, now=run.now, user=user
    )
    mailed = f", mailed to {wanted.email}, too" if wish.is_mailed else ""
    run.made(f"{organization.slug}: link for {wanted.username} to set a password{mailed}")
    run.show_once(organization, "link", wanted.username, issued.code)
    run.note(organization, "member.invited", issued.invitation.public_id)
