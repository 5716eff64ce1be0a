"""Agreements that a description asks for: one preset between all parties that have none yet."""

from collections.abc import Sequence
from itertools import combinations

from apps.fleet.models import Cluster
from apps.fleet.parties.cross_party_acts import ActContext
from apps.operations.setup.setup_run import SetupRun, listed
from apps.sharing.agreement_acts import Proposal
from apps.sharing.facade import agreements
from apps.tenancy.access import Actor, actor_for_member
from apps.tenancy.models import MemberRole, Membership, Organization
from apps.tenancy.scope import organization_scope


def agree_on(
    run: SetupRun, *, cluster: Cluster, organizations: Sequence[Organization], preset: str
) -> None:
    """Let each two that the preset gives rules for agree, by their first admins."""
    admins = {each.pk: _admin(each) for each in organizations}
    if lacking := sorted(each.slug for each in organizations if admins[each.pk] is None):
        run.kept(f"no agreements of {listed(lacking)}: without an admin nobody signs")
    able = [each for each in organizations if admins[each.pk] is not None]
    for first, second in combinations(sorted(able, key=lambda each: each.slug), 2):
        pair = (admins[first.pk], admins[second.pk])
        for proposer, other in (pair, pair[::-1]):
            # A vendor does not know the tenants; they know the vendor.
            if proposer and other and _knows(proposer, cluster, other.organization, run):
                _agree(run, cluster, proposer, other, preset)
                break


def _agree(run: SetupRun, cluster: Cluster, proposer: Actor, other: Actor, preset: str) -> None:
    with organization_scope(proposer.organization.pk):
        told = ActContext(actor=proposer, now=run.now)
        slug = other.organization.slug
        terms = agreements.preset_between(
            actor=proposer, cluster=cluster.slug, counterpart=slug, preset=preset
        )
        if not any(terms.values()):
            return
        proposal = Proposal(counterpart=slug, preset=preset)
        public_id = agreements.propose(
            actor=proposer, cluster=cluster.slug, proposal=proposal, context=told
        )
    with organization_scope(other.organization.pk):
        told = ActContext(actor=other, now=run.now)
        agreements.sign(actor=other, public_id=public_id, number=1, context=told)
    names = f"{proposer.organization.slug} and {slug}"
    run.made(f"{names}: agreement {preset} in {cluster.slug}, signed for both by their admins")


def _knows(actor: Actor, cluster: Cluster, other: Organization, run: SetupRun) -> bool:
    """Say whether one can propose to the other, and there is no agreement of theirs yet."""
    with organization_scope(actor.organization.pk):
        sides = agreements.possible_sides(actor=actor, cluster=cluster.slug)
        there = agreements.list_agreements(actor=actor, now=run.now)
    is_agreed = any(
        (view.cluster.slug, view.other.id) == (cluster.slug, other.pk) for view in there
    )
    return not is_agreed and any(each.organization.id == other.pk for each in sides)


def _admin(organization: Organization) -> Actor | None:
    """Return the first admin of an organization that takes part, None without any."""
    with organization_scope(organization.pk):
        rows = Membership.objects.for_organization(organization).filter(role=MemberRole.ADMIN)
        row = rows.filter(user__is_active=True).select_related("user").order_by("id").first()
    return actor_for_member(user=row.user, slug=organization.slug) if row else None
