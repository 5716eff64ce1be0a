"""Attempts that are to be looked at: made due, claimed by one worker, looked at again."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from apps.incidents.correlation.attempts import diagnosis_cooldown
from apps.incidents.models import Correlation
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import worker_shares
from apps.tenancy.work.leases import Lease

COALESCE = timedelta(seconds=1)
# Longer than the hard limit of the task that holds it.
LEASE = Lease(lasts=timedelta(seconds=60), due="due_at")
# A claim whose task nobody began is free again.
QUEUED = Lease(lasts=timedelta(seconds=30), due="due_at")
CLAIMED_AT_ONCE = 50
# After a look that failed.
PUT_OFF = timedelta(seconds=30)


def make_due(*, touched: Iterable[tuple[int, int]], now: datetime) -> None:
    """Note attempts as due soon."""
    Correlation.objects.bulk_create(
        [
            Correlation(
                organization_id=owner, attempt_id=attempt, due_at=now + COALESCE, touched_at=now
            )
            for owner, attempt in touched
        ],
        # One statement holds the row: else a look that ends meanwhile could take it away between.
        update_conflicts=True,
        unique_fields=["organization", "attempt"],
        update_fields=["touched_at"],
    )
    for owner, attempt in touched:
        # An order that is due sooner stays: facts that keep coming must not put it off for ever.
        Correlation.objects.filter(
            organization=owner, attempt=attempt, due_at__gt=now + COALESCE
        ).update(due_at=now + COALESCE)


def claim_due(*, organization_id: int, now: datetime) -> list[int]:
    """Return attempts that are due, each leased to this caller alone.

    So many of an organization's as it may have at once: its others wait for these, and the
    attempts of other organizations don't.
    """
    with organization_scope(organization_id):
        own = Correlation.objects.for_organization(organization_id)
        room = worker_shares.of_one() - own.exclude(QUEUED.free(now=now)).count()
        due = own.filter(QUEUED.ready(now=now)).order_by("due_at", "id")
        rows = list(due[:CLAIMED_AT_ONCE]) if room > 0 else []
        resting = diagnosis_cooldown.resting(attempt_ids=[row.attempt_id for row in rows])
        claimed: list[int] = []
        for row in rows:
            if len(claimed) < room and row.attempt_id not in resting:
                unchanged = Correlation.objects.filter(pk=row.pk, due_at=row.due_at)
                claimed += [row.attempt_id] if QUEUED.take(unchanged, now=now) else []
        return claimed


def is_due_soon(*, organization_id: int, now: datetime) -> bool:
    """Say whether an attempt that nobody looks at will be due in a moment."""
    with organization_scope(organization_id):
        own = Correlation.objects.for_organization(organization_id)
        return own.filter(due_at__gt=now, due_at__lte=now + COALESCE, claimed_until=None).exists()


def begin(*, organization_id: int, attempt_id: int, now: datetime) -> datetime | None:
    """Renew a claim as its work begins; return when the attempt was touched last, None if done."""
    with organization_scope(organization_id):
        row = Correlation.objects.for_organization(organization_id).filter(attempt=attempt_id)
        LEASE.hold(row, now=now)
        return row.values_list("touched_at", flat=True).first()


def finish(
    *,
    organization_id: int,
    attempt_id: int,
    touched_at: datetime,
    now: datetime,
    again_at: datetime | None,
) -> None:
    """Close a claim: due again where facts came since it began, else at `again_at` or never.

    Compares the touch itself and not clocks: workers on other hosts may be ahead or behind.
    """
    with organization_scope(organization_id):
        row = Correlation.objects.for_organization(organization_id).filter(attempt=attempt_id)
        unchanged = row.filter(touched_at=touched_at)
        if again_at is None:
            unchanged.delete()
        else:
            unchanged.update(**LEASE.let_go, due_at=again_at)
        row.exclude(touched_at=touched_at).update(**LEASE.let_go, due_at=now + COALESCE)


def put_off(*, organization_id: int, attempt_id: int, until: datetime) -> None:
    """Close a claim whose work failed; whatever came meanwhile waits as well. Opens the scope."""
    with organization_scope(organization_id):
        row = Correlation.objects.for_organization(organization_id).filter(attempt=attempt_id)
        row.update(**LEASE.let_go, due_at=until)


def look_again(*, organization_id: int, now: datetime) -> None:
    """Let every correlation that was put off be due. Opens the scope."""
    with organization_scope(organization_id):
        rows = Correlation.objects.for_organization(organization_id)
        rows.filter(due_at__gt=now).update(due_at=now)
