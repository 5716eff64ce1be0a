"""Two organizations of the cast agree."""

from datetime import datetime

from apps.fleet.models import Cluster
from apps.fleet.parties.cross_party_acts import ActContext
from apps.sharing import agreement_acts as acts
from apps.sharing.agreements import versions_of
from apps.sharing.models import Agreement
from apps.sharing.terms import Terms
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import actor


def admin_of(organization: Organization, *, now: datetime = make.AT) -> ActContext:
    """Return an admin of the organization, who acts now."""
    return ActContext(actor=actor(organization, MemberRole.ADMIN), now=now)


def proposed(
    by: Organization,
    to: Organization,
    cluster: Cluster,
    *,
    terms: Terms | None = None,
    preset: str = "",
    now: datetime = make.AT,
    until: datetime | None = None,
) -> Agreement:
    """Let one organization propose terms to another."""
    told = admin_of(by, now=now)
    wish = acts.Proposal(counterpart=to.slug, terms=terms, preset=preset, until=until)
    with organization_scope(by.pk):
        return acts.propose(actor=told.actor, cluster=cluster, proposal=wish, context=told)


def agreed(
    first: Organization,
    second: Organization,
    cluster: Cluster,
    *,
    terms: Terms | None = None,
    preset: str = "",
    now: datetime = make.AT,
    until: datetime | None = None,
) -> Agreement:
    """Let two organizations agree: the first proposes, the second signs."""
    made = proposed(first, second, cluster, terms=terms, preset=preset, now=now, until=until)
    told = admin_of(second, now=now)
    with organization_scope(second.pk):
        number = max(each.number for each in versions_of(agreements=[made])[made.pk])
        acts.sign(actor=told.actor, agreement=made, number=number, context=told)
    return made
