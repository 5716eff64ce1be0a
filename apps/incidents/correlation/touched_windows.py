"""Touched windows → attempts to look at: work travels up as rows."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from apps.fleet.authority.agreed_terms import authority_of
from apps.fleet.authority.rules import Subject
from apps.fleet.models import Attempt
from apps.incidents import subscribers
from apps.incidents.correlation.attempts.due_attempts import make_due
from apps.incidents.models import Correlation
from apps.telemetry.models import TouchedWindow
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.failed_work import set_aside

WINDOWS_AT_ONCE = 500
KIND = "window"  # of failed work
# How long after an end, or before a start, a host's facts still belong to an attempt.
BEFORE = timedelta(minutes=15)
AFTER = timedelta(minutes=20)
# A begun look is completed this often by what tells nothing by itself.
COMPLETE = timedelta(seconds=10)


def map_windows(*, organization_id: int, now: datetime, only: int | None = None) -> int:
    """Turn an organization's touched windows into due correlations. Return how many were taken."""
    with organization_scope(organization_id):
        waiting = _waiting(organization_id, now=now)
        wanted = waiting if only is None else waiting.filter(pk=only)
        windows = list(wanted.select_for_update(skip_locked=True).order_by("id")[:WINDOWS_AT_ONCE])
        telling = [window for window in windows if window.is_telling]
        others = [window for window in windows if not window.is_telling]
        touched = _touched(organization_id=organization_id, windows=telling)
        completed = _touched(organization_id=organization_id, windows=others) - touched
        with organization_scope(organization_id, *{owner for owner, _ in touched | completed}):
            make_due(touched=sorted(touched), now=now)
            _complete(touched=sorted(completed), now=now)
            subscribers.tell_touched(touched=touched | completed, now=now)
        TouchedWindow.objects.filter(pk__in=[window.pk for window in windows]).delete()
    return len(windows)


def _touched(*, organization_id: int, windows: list[TouchedWindow]) -> set[tuple[int, int]]:
    """Return owner and id of the attempts that windows bear on."""
    touched: set[tuple[int, int]] = set()
    for cluster_id, group in _by_cluster(windows).items():
        parties = parties_of(cluster_id=cluster_id) if cluster_id is not None else []
        with organization_scope(organization_id, *parties):
            counts = cluster_id is None or _counts(organization_id, cluster_id)
            for attempt in _attempts(cluster_id=cluster_id, windows=group):
                is_own = attempt.organization_id == organization_id
                if is_own or (counts and _is_joined(attempt)):
                    touched.add((attempt.organization_id, attempt.pk))
    return touched


def _counts(organization_id: int, cluster_id: int) -> bool:
    """Say whether anything that a party tells of others' things counts for them."""
    authority = authority_of(cluster_id=cluster_id)
    return any(authority.asserts(organization_id=organization_id, subject=each) for each in Subject)


def _is_joined(attempt: Attempt) -> bool:
    return attempt.hosts_asserted or attempt.session.is_asserted


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
    named = Attempt.objects.filter(wanted).select_related("session")
    found = {attempt.pk: attempt for attempt in named}
    if cluster_id is not None:
        hosts = _merged([w for w in windows if not w.attempt_id and not w.session_id])
        found |= {attempt.pk: attempt for attempt in _running(cluster_id, hosts)}
    return [found[pk] for pk in sorted(found)]


def _running(cluster_id: int, windows: dict[str, TouchedWindow]) -> Iterator[Attempt]:
    """Yield a cluster's attempts that ran on a window's host in its span.

    One query for all hosts: built of a condition each, five hundred take seconds.
    """
    if not windows:
        return
    rows = Attempt.objects.filter(session__cluster=cluster_id).select_related("session")
    if "" not in windows:
        rows = rows.filter(hosts__overlap=sorted(windows))
    starts = [window.starts_at for window in windows.values()]
    ends = [window.ends_at for window in windows.values()]
    if None not in ends:
        rows = rows.filter(Q(started_at=None) | Q(started_at__lte=max(filter(None, ends)) + BEFORE))
    if None not in starts:
        rows = rows.filter(Q(ended_at=None) | Q(ended_at__gte=min(filter(None, starts)) - AFTER))
    for attempt in rows:
        touching = (windows[each] for each in {"", *attempt.hosts} if each in windows)
        if any(_is_within(attempt, window) for window in touching):
            yield attempt


def _is_within(attempt: Attempt, window: TouchedWindow) -> bool:
    """Say whether an attempt ran in a window's span, or may have."""
    began, ended = attempt.started_at, attempt.ended_at
    is_too_late = began and window.ends_at and began > window.ends_at + BEFORE
    is_too_early = ended and window.starts_at and ended < window.starts_at - AFTER
    return not (is_too_late or is_too_early)


def _merged(windows: list[TouchedWindow]) -> dict[str, TouchedWindow]:
    """Return one window for each host (any: ""), wide enough for all of it."""
    hosts: dict[str, TouchedWindow] = {}
    for window in windows:
        known = hosts.setdefault(window.host, window)
        known.starts_at = _outer(known.starts_at, window.starts_at, later=False)
        known.ends_at = _outer(known.ends_at, window.ends_at, later=True)
    return hosts


def _outer(one: datetime | None, other: datetime | None, *, later: bool) -> datetime | None:
    if one is None or other is None:
        return None
    return max(one, other) if later else min(one, other)


def _complete(*, touched: Iterable[tuple[int, int]], now: datetime) -> None:
    """Look again, a little later, at attempts whose incident has not settled."""
    for owner, attempt in touched:
        Correlation.objects.filter(
            organization=owner, attempt=attempt, due_at__gt=now + COMPLETE
        ).update(due_at=now + COMPLETE)


def has_windows(*, organization_id: int) -> bool:
    """Say whether an organization has touched windows that nobody mapped yet."""
    with organization_scope(organization_id):
        return _waiting(organization_id).exists()


def waiting_ids(*, organization_id: int) -> list[int]:
    """Return the windows that are mapped next. Opens the scope."""
    with organization_scope(organization_id):
        ids = _waiting(organization_id).order_by("id").values_list("id", flat=True)
        return list(ids[:WINDOWS_AT_ONCE])


def _waiting(organization_id: int, *, now: datetime | None = None) -> QuerySet[TouchedWindow]:
    """Return the windows that were not set aside: those stay, and are in nobody's way."""
    own = TouchedWindow.objects.for_organization(organization_id)
    failed = set_aside(organization_id=organization_id, kind=KIND, now=now)
    resting = [int(each) for each in failed]
    return own.exclude(pk__in=resting) if resting else own
