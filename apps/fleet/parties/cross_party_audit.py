"""What one party's word does to another's things, in the audit records of both: once a kind.

Each side reads the other's organization, never a person. What was refused looks to its sender the
same whether the thing is there, and takes as long; only the record of whom it concerned names it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from apps.fleet.authority.project_owners import among_parties
from apps.fleet.models import Cluster, CrossPartyNote, PendingRefusal, Session
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.task_requests import ask_on_commit

ASSERTED = "session.asserted"
CONTRADICTED = "session.contradicted"
REFUSED = "facts.refused"
NAMES_AT_MOST = 20  # of one body: a flood of names costs no flood of look-ups
CONCERNED_AT_MOST = 100
# What waits of one sender: the rest of a flood stands in its own record alone.
PENDING_AT_MOST = 1_000
REFUSALS_AT_ONCE = 100
ENTER_REFUSALS = "telemetry.enter_refusals"


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


def refuse(
    *, by: Organization, cluster: Cluster, what: str, names: Iterable[str], now: datetime
) -> Crossing:
    """Return the entry for a refusal's sender; a worker finds whose sessions it named.

    Costs the same whether they exist. Needs the sender's scope.
    """
    named = sorted({name[:200] for name in names} - {""})[:NAMES_AT_MOST]
    own = PendingRefusal.objects.for_organization(by)
    if named and own.order_by("id")[:PENDING_AT_MOST].count() < PENDING_AT_MOST:
        PendingRefusal.objects.create(
            organization=by, cluster=cluster, subject=what, names=named, received_at=now
        )
        ask_on_commit(ENTER_REFUSALS, queue="default", organization_id=by.pk)
    return refused_of(by=by, cluster=cluster, what=what, now=now)


def enter_refusals(*, organization_id: int, now: datetime) -> bool:
    """Enter what an organization was refused in the records of whom it concerned.

    Returns whether more waits. Opens the scopes.
    """
    with organization_scope(organization_id):
        own = PendingRefusal.objects.for_organization(organization_id).select_related("cluster")
        waiting = own.select_for_update(of=("self",), skip_locked=True).order_by("id")
        rows = list(waiting[:REFUSALS_AT_ONCE])
        by = Organization.objects.get(pk=organization_id)
        enter(crossings=[each for row in rows for each in _concerned(row, by)], now=now)
        own.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows) == REFUSALS_AT_ONCE


def organizations_with_refusals(*, organization_ids: Collection[int]) -> list[int]:
    """Return those of whose refusals somebody has to read yet. Opens their scope."""
    with organization_scope(*organization_ids):
        return sorted(set(PendingRefusal.objects.values_list("organization_id", flat=True)))


def _concerned(row: PendingRefusal, by: Organization) -> list[Crossing]:
    """Return an entry for each whose session was named; opens the parties' scope."""
    with among_parties(row.cluster):
        found = Session.objects.filter(cluster=row.cluster, name__in=row.names).order_by("id")
        concerned = list(found.values_list("organization_id", "public_id")[:CONCERNED_AT_MOST])
    return [
        Crossing(
            keeper_id=owner_id,
            action=REFUSED,
            by=by,
            cluster=row.cluster,
            subject=f"{row.subject} {public_id}",
        )
        for owner_id, public_id in concerned
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
        act = AuditAction(
            action=crossing.action,
            subject=f"{crossing.cluster.slug} {crossing.subject}",
            actor=f"organization:{crossing.by.slug}",
        )
        record(organization_id=crossing.keeper_id, act=act, now=now)
