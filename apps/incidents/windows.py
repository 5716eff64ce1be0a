"""Touched windows → attempts to look at: work travels up as rows."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q

from apps.fleet.models import Attempt
from apps.incidents import rests
from apps.incidents.models import Correlation
from apps.telemetry.models import TouchedWindow
from apps.tenancy import shares
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope

WINDOWS_AT_ONCE = 500
# How long after an end, or before a start, a host's facts still belong to an attempt.
BEFORE = timedelta(minutes=15)
AFTER = timedelta(minutes=20)
COALESCE = timedelta(seconds=1)
# A begun look is completed this often by what tells nothing by itself.
COMPLETE = timedelta(seconds=10)
# Longer than the hard limit of the task that holds it.
LEASE = timedelta(seconds=60)
# A claim whose task nobody began is free again.
QUEUED = timedelta(seconds=30)
CLAIMED_AT_ONCE = 50
# After a look that failed.
PUT_OFF = timedelta(seconds=30)


def map_windows(*, organization_id: int, now: datetime) -> int:
    """Turn an organization's touched windows into due correlations. Return how many were taken."""
    with organization_scope(organization_id):
        windows = list(
            TouchedWindow.objects.for_organization(organization_id)
            .select_for_update(skip_locked=True)
            .order_by("id")[:WINDOWS_AT_ONCE]
        )
        telling = [window for window in windows if window.is_telling]
        others = [window for window in windows if not window.is_telling]
        touched = _touched(organization_id=organization_id, windows=telling)
        completed = _touched(organization_id=organization_id, windows=others) - touched
        with organization_scope(organization_id, *{owner for owner, _ in touched | completed}):
            _make_due(touched=sorted(touched), now=now)
            _complete(touched=sorted(completed), now=now)
        TouchedWindow.objects.filter(pk__in=[window.pk for window in windows]).delete()
    return len(windows)


def _touched(*, organization_id: int, windows: list[TouchedWindow]) -> set[tuple[int, int]]:
    """Return owner and id of the attempts that windows bear on."""
    touched: set[tuple[int, int]] = set()
    for cluster_id, group in _by_cluster(windows).items():
        parties = parties_of(cluster_id=cluster_id) if cluster_id is not None else []
        with organization_scope(organization_id, *parties):
            for attempt in _attempts(cluster_id=cluster_id, windows=group):
                touched.add((attempt.organization_id, attempt.pk))
    return touched


def _by_cluster(windows: Iterable[TouchedWindow]) -> dict[int | None, list[TouchedWindow]]:
    groups: dict[int | None, list[TouchedWindow]] = {}
    for window in windows:
        groups.setdefault(window.cluster_id, []).append(window)
    return groups


def _attempts(*, cluster_id: int | None, windows: list[TouchedWindow]) -> list[Attempt]:
    wanted = Q(pk__in=[]) | Q(pk__in=[w.attempt_id for w in windows if w.attempt_id])
    sessions = {w.session_id for w in windows if w.session_id and not w.attempt_id}
    if sessions:
        wanted |= Q(session_id__in=sessions)
    if cluster_id is not None:
        for window in _merged([w for w in windows if not w.attempt_id and not w.session_id]):
            wanted |= Q(session__cluster=cluster_id) & _overlapping(window)
    return list(Attempt.objects.filter(wanted).order_by("pk").distinct())


def _merged(windows: list[TouchedWindow]) -> list[TouchedWindow]:
    """Return one window for each host, wide enough for all of it."""
    hosts: dict[str, TouchedWindow] = {}
    for window in windows:
        known = hosts.setdefault(window.host, window)
        known.starts_at = _outer(known.starts_at, window.starts_at, later=False)
        known.ends_at = _outer(known.ends_at, window.ends_at, later=True)
    return list(hosts.values())


def _outer(one: datetime | None, other: datetime | None, *, later: bool) -> datetime | None:
    if one is None or other is None:
        return None
    return max(one, other) if later else min(one, other)


def _overlapping(window: TouchedWindow) -> Q:
    """Return the attempts that ran on the window's host (any, without one) in its span."""
    q = Q(hosts__contains=[window.host]) if window.host else Q()
    if window.ends_at is not None:
        q &= Q(started_at=None) | Q(started_at__lte=window.ends_at + BEFORE)
    if window.starts_at is not None:
        q &= Q(ended_at=None) | Q(ended_at__gte=window.starts_at - AFTER)
    return q


def _make_due(*, touched: Iterable[tuple[int, int]], now: datetime) -> None:
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


def _complete(*, touched: Iterable[tuple[int, int]], now: datetime) -> None:
    """Look again, a little later, at attempts whose incident has not settled."""
    for owner, attempt in touched:
        Correlation.objects.filter(
            organization=owner, attempt=attempt, due_at__gt=now + COMPLETE
        ).update(due_at=now + COMPLETE)


def claim_due(*, organization_id: int, now: datetime) -> list[int]:
    """Return attempts that are due, each leased to this caller alone.

    So many of an organization's as it may have at once: its others wait for these, and the
    attempts of other organizations don't.
    """
    with organization_scope(organization_id):
        own = Correlation.objects.for_organization(organization_id)
        free = Q(claimed_until=None) | Q(claimed_until__lt=now)
        room = shares.of_one() - own.exclude(free).count()
        due = own.filter(free, due_at__lte=now).order_by("due_at", "id")
        rows = list(due[:CLAIMED_AT_ONCE]) if room > 0 else []
        resting = rests.resting(attempt_ids=[row.attempt_id for row in rows])
        claimed: list[int] = []
        for row in rows:
            if len(claimed) < room and row.attempt_id not in resting:
                won = Correlation.objects.filter(free, pk=row.pk, due_at=row.due_at).update(
                    claimed_until=now + QUEUED
                )
                claimed += [row.attempt_id] if won else []
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
        row.update(claimed_until=now + LEASE)
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
            unchanged.update(claimed_until=None, due_at=again_at)
        row.exclude(touched_at=touched_at).update(claimed_until=None, due_at=now + COALESCE)


def put_off(*, organization_id: int, attempt_id: int, now: datetime) -> None:
    """Give back the claim of a look that failed: it is due again in a while."""
    with organization_scope(organization_id):
        row = Correlation.objects.for_organization(organization_id).filter(attempt=attempt_id)
        row.update(claimed_until=None, due_at=now + PUT_OFF)


def has_windows(*, organization_id: int) -> bool:
    """Say whether an organization has touched windows that nobody mapped yet."""
    with organization_scope(organization_id):
        return TouchedWindow.objects.for_organization(organization_id).exists()
