"""Sessions whose attempts are to be measured: made due, claimed by one worker, due again."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q

from apps.fleet.models import Attempt, Session
from apps.reliability.models import MeasureOrder
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.leases import Lease

# Of a run that prints a line a second a minute's steps are measured at once.
COALESCE: Final = timedelta(minutes=1)
# While a session runs its time goes on, also where nobody tells anything.
AGAIN: Final = timedelta(minutes=10)
# Longer than the hard limit of the task that holds it.
LEASE: Final = Lease(lasts=timedelta(seconds=60), due="due_at")
CLAIMED_AT_ONCE: Final = 20
FOUND_AT_ONCE: Final = 500
# Of the arithmetic: what was measured by an older one is measured again.
EDITION: Final = 2


def note_touched(*, touched: Iterable[tuple[int, int]], now: datetime) -> None:
    """Note the sessions of attempts (owner, id) as due soon. Needs the owners' scope."""
    attempts = Attempt.objects.filter(pk__in=[attempt for _, attempt in touched])
    sessions = set(attempts.order_by().values_list("organization_id", "session_id"))
    _order(sessions, now=now)


def find_unmeasured(*, organization_id: int, now: datetime) -> int:
    """Order what no wake-up told of: sessions from before there were measures, or of an older
    arithmetic. Return how many. Needs the scope.
    """
    orders = MeasureOrder.objects.filter(session=OuterRef("pk"), edition=EDITION)
    own = Session.objects.for_organization(organization_id)
    ids = own.exclude(Exists(orders)).order_by("-id").values_list("pk", flat=True)
    waiting = MeasureOrder.objects.filter(session=OuterRef("pk"), due_at__isnull=False)
    found = [(organization_id, pk) for pk in ids.exclude(Exists(waiting))[:FOUND_AT_ONCE]]
    _order(found, now=now - COALESCE)
    return len(found)


def _order(sessions: Collection[tuple[int, int]], *, now: datetime) -> None:
    """Note sessions (owner, id) as due. An order that is due sooner stays: facts that keep coming
    must not put it off for ever.
    """
    MeasureOrder.objects.bulk_create(
        [
            MeasureOrder(
                organization_id=owner, session_id=session, due_at=now + COALESCE, touched_at=now
            )
            for owner, session in sorted(sessions)
        ],
        # One statement holds the row: else work that ends meanwhile could take it away between.
        update_conflicts=True,
        unique_fields=["organization", "session"],
        update_fields=["touched_at"],
    )
    ids = [session for _, session in sessions]
    later = Q(due_at=None) | Q(due_at__gt=now + COALESCE)
    MeasureOrder.objects.filter(later, session__in=ids).update(due_at=now + COALESCE)


def is_due(*, organization_id: int, now: datetime) -> bool:
    """Say whether anything is to be measured. Needs the scope."""
    own = MeasureOrder.objects.for_organization(organization_id)
    return own.filter(LEASE.ready(now=now), due_at__isnull=False).exists()


def claim_due(*, organization_id: int, now: datetime) -> list[tuple[int, datetime]]:
    """Return sessions that are due and when each was touched, leased to this caller alone."""
    with organization_scope(organization_id):
        own = MeasureOrder.objects.for_organization(organization_id)
        due = own.filter(LEASE.ready(now=now), due_at__isnull=False).order_by("due_at", "id")
        rows = list(due[:CLAIMED_AT_ONCE])
        return [
            (row.session_id, row.touched_at)
            for row in rows
            if LEASE.take(own.filter(pk=row.pk, due_at=row.due_at), now=now)
        ]


def finish(
    *,
    organization_id: int,
    session_id: int,
    touched_at: datetime,
    again_at: datetime | None,
) -> None:
    """Close a claim: due again where facts came since it began, else at `again_at` or never."""
    with organization_scope(organization_id):
        rows = MeasureOrder.objects.for_organization(organization_id).filter(session=session_id)
        unchanged = rows.filter(touched_at=touched_at)
        unchanged.update(**LEASE.let_go, due_at=again_at, edition=EDITION)
        rows.exclude(touched_at=touched_at).update(
            **LEASE.let_go, due_at=touched_at + COALESCE, edition=EDITION
        )


def put_off(*, organization_id: int, session_id: int, until: datetime) -> None:
    """Close a claim whose work failed. Opens the scope."""
    with organization_scope(organization_id):
        rows = MeasureOrder.objects.for_organization(organization_id).filter(session=session_id)
        rows.update(**LEASE.let_go, due_at=until)
