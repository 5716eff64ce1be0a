"""What one party's word does to another's things, in the audit records of both: once a kind.

Each side reads the other's organization, never a person. What was refused looks to its sender the
same whether the thing is there; only the record of whom it concerned names it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from apps.fleet.models import Cluster, CrossPartyNote, Session
from apps.fleet.projects import among_parties
from apps.tenancy.audit import Deed, record
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

ASSERTED = "session.asserted"
CONTRADICTED = "session.contradicted"
REFUSED = "facts.refused"
NAMES_AT_MOST = 20  # of one body: a flood of names costs no flood of look-ups


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """One entry to be: in whose record, what was done, by which organization, to what."""

    keeper_id: int
    action: str
    by: Organization
    cluster: Cluster
    subject: str


def enter(*, crossings: Iterable[Crossing], now: datetime) -> None:
    """Enter what is not entered yet. In one order: two that enter at once wait for each other."""
    found = {(each.keeper_id, each.action, each.by.pk, each.subject): each for each in crossings}
    for _, crossing in sorted(found.items(), key=lambda pair: pair[0]):
        with organization_scope(crossing.keeper_id):
            _enter(crossing, now)


def refused_of(*, by: Organization, cluster: Cluster, what: str, now: datetime) -> Crossing:
    """Return the entry for who was refused: one a day, whatever it names."""
    return Crossing(
        keeper_id=by.pk, action=REFUSED, by=by, cluster=cluster, subject=f"{what} {now:%Y-%m-%d}"
    )


def refused_of_sessions(
    *, by: Organization, cluster: Cluster, what: str, names: Collection[str], now: datetime
) -> list[Crossing]:
    """Return the same, and an entry for each whose session was named; opens the parties' scope."""
    with among_parties(cluster):
        rows = Session.objects.filter(cluster=cluster, name__in=sorted(names)[:NAMES_AT_MOST])
        concerned = [(row.organization_id, row.public_id) for row in rows.order_by("id")[:100]]
    return [
        refused_of(by=by, cluster=cluster, what=what, now=now),
        *(
            Crossing(
                keeper_id=owner_id, action=REFUSED, by=by, cluster=cluster, subject=f"{what} {name}"
            )
            for owner_id, name in concerned
        ),
    ]


def _enter(crossing: Crossing, now: datetime) -> None:
    _, is_new = CrossPartyNote.objects.get_or_create(
        organization_id=crossing.keeper_id,
        cluster=crossing.cluster,
        action=crossing.action,
        by=crossing.by,
        subject=crossing.subject[:120],
    )
    if is_new:
        deed = Deed(
            action=crossing.action,
            subject=f"{crossing.cluster.slug} {crossing.subject}",
            actor=f"organization:{crossing.by.slug}",
        )
        record(organization_id=crossing.keeper_id, deed=deed, now=now)
