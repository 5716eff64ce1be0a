"""Accepted bodies → a Prometheus-compatible store, where a source names one.

Forwarding never holds acceptance up: bodies wait in the database, the oldest are given up when too
much waits, and how many is told.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Final

from django.conf import settings
from django.db.models import F, QuerySet, Sum

from apps.telemetry.models import BatchState, PushedBody, PushedState, Source
from apps.telemetry.samples.store import RemoteWriteStore, TryLater
from apps.telemetry.sources.stored_source import address_of
from apps.tenancy.outbound.refusal_audit import note_refusal
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.leases import Lease, pause_after

logger = logging.getLogger(__name__)

TURN_SECONDS: Final = 20.0
# Longer than a turn and its last request; a worker that died holds the source no longer.
LEASE: Final = Lease(
    lasts=timedelta(seconds=60), until="forward_claimed_until", due="forward_due_at"
)
AT_ONCE: Final = 50
AT_ONCE_BYTES: Final = 32 * 2**20
# Stores that hang take workers from everybody: an organization's at most so many.
SOURCES_AT_ONCE: Final = 2
FIRST_PAUSE: Final = timedelta(seconds=2)
LONGEST_PAUSE: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardResult:
    """What a turn did."""

    sent_count: int = 0
    refused_count: int = 0
    is_more: bool = False
    error: str = ""


@dataclass(slots=True, kw_only=True)
class _Outcome:
    done: list[int]
    refused_count: int = 0
    refusal: str = ""


def due_source_ids(*, organization_id: int, now: datetime) -> list[int]:
    """Return the sources with bodies that it is time to forward. Needs the scope."""
    waiting = _waiting(organization_id).values_list("source_id", flat=True).distinct()
    own = PushedState.objects.for_organization(organization_id)
    due = own.filter(LEASE.ready(now=now), source_id__in=list(waiting)).order_by("id")
    return list(due.values_list("source_id", flat=True))


def forward(
    *,
    organization_id: int,
    source_id: int,
    clock: Callable[[], float],
    now: Callable[[], datetime],
) -> ForwardResult:
    """Send what waits of one source, oldest first, for one turn. Safe to repeat."""
    with organization_scope(organization_id):
        source = _claim(organization_id=organization_id, source_id=source_id, now=now())
    if source is None:
        return ForwardResult()
    ends_at = clock() + TURN_SECONDS
    sent_count, refused_count, error = 0, 0, ""
    try:
        # The network: no scope and no transaction is open here, but to fetch and to let go.
        with RemoteWriteStore(address=address_of(source=source)) as store:
            while clock() < ends_at:
                outcome = _send_some(store=store, source=source, is_over=lambda: clock() >= ends_at)
                refused_count += outcome.refused_count
                error = error or outcome.refusal
                sent_count += len(outcome.done) - outcome.refused_count
                if not outcome.done:
                    break
    except TryLater as later:
        with organization_scope(organization_id):
            _note_failure(source=source, error=str(later), now=now())
            note_refusal(
                error=later,
                organization_id=organization_id,
                subject=f"source:{source.public_id}",
                now=now(),
            )
        logger.warning("pushed.forward_failed", extra={"source": source_id})
        return ForwardResult(sent_count=sent_count, refused_count=refused_count, error=str(later))
    with organization_scope(organization_id):
        _note_success(source=source, error=error, now=now())
        is_more = _waiting(organization_id).filter(source=source).exists()
    return ForwardResult(
        sent_count=sent_count, refused_count=refused_count, is_more=is_more, error=error
    )


def drop_overflow(*, organization_id: int) -> int:
    """Give up the oldest bodies beyond what may wait; return how many. Needs the scope."""
    waiting = _waiting(organization_id)
    size = int(waiting.aggregate(sum=Sum("byte_count"))["sum"] or 0)
    dropped = 0
    for pk, source_id, byte_count in (
        waiting.order_by("id").values_list("id", "source_id", "byte_count").iterator()
    ):
        if size <= settings.PORTAL_MAX_PENDING_BYTES:
            break
        _drop(organization_id, source_id, [pk])
        size -= byte_count
        dropped += 1
    return dropped


def _waiting(organization_id: int) -> QuerySet[PushedBody]:
    own = PushedBody.objects.for_organization(organization_id)
    return own.filter(is_to_forward=True, state=BatchState.INTERPRETED)


def _claim(*, organization_id: int, source_id: int, now: datetime) -> Source | None:
    own = PushedState.objects.for_organization(organization_id).filter(source_id=source_id)
    others = PushedState.objects.for_organization(organization_id).exclude(LEASE.free(now=now))
    if others.exclude(source_id=source_id).count() >= SOURCES_AT_ONCE:
        return None  # its turn comes: what waits is asked for again and again
    if not LEASE.take(own, now=now):
        return None
    source = Source.objects.for_organization(organization_id).get(pk=source_id)
    if source.url:
        return source
    # Nobody wants it forwarded any more.
    _waiting(organization_id).filter(source=source).delete()
    own.update(forward_state="off", forward_error="", **LEASE.let_go)
    return None


def _send_some(*, store: RemoteWriteStore, source: Source, is_over: Callable[[], bool]) -> _Outcome:
    with organization_scope(source.organization_id):
        rows = _waiting(source.organization_id).filter(source=source).order_by("id")
        wanted = _group(list(rows.values_list("id", "byte_count")[:AT_ONCE]))
        bodies = list(rows.filter(pk__in=wanted))
    outcome = _Outcome(done=[])
    try:
        for body in bodies:
            if outcome.done and is_over():
                break
            refusal = store.send(body)
            outcome.done.append(body.pk)
            outcome.refused_count += bool(refusal)
            outcome.refusal = outcome.refusal or refusal
    finally:
        if outcome.done:
            with organization_scope(source.organization_id):
                _let_go(source=source, outcome=outcome)
    return outcome


def _group(rows: Sequence[tuple[int, int]]) -> list[int]:
    """Return the bodies that are held at once: the first, and others while there is room."""
    sizes = accumulate(byte_count for _, byte_count in rows)
    fitting = [pk for (pk, _), size in zip(rows, sizes, strict=True) if size <= AT_ONCE_BYTES]
    return fitting or [pk for pk, _ in rows[:1]]


def _let_go(*, source: Source, outcome: _Outcome) -> None:
    own = PushedBody.objects.for_organization(source.organization_id)
    own.filter(pk__in=outcome.done).delete()
    states = PushedState.objects.for_organization(source.organization_id).filter(source=source)
    states.update(
        forwarded_count=F("forwarded_count") + len(outcome.done) - outcome.refused_count,
        forward_dropped_count=F("forward_dropped_count") + outcome.refused_count,
    )


def _drop(organization_id: int, source_id: int, bodies: Sequence[int]) -> None:
    PushedBody.objects.for_organization(organization_id).filter(pk__in=bodies).delete()
    states = PushedState.objects.for_organization(organization_id).filter(source_id=source_id)
    states.update(forward_dropped_count=F("forward_dropped_count") + len(bodies))


def _note_success(*, source: Source, error: str, now: datetime) -> None:
    own = PushedState.objects.for_organization(source.organization_id).filter(source=source)
    own.update(
        forward_state="fresh",
        forward_error=error[:300],
        forward_failure_count=0,
        forward_due_at=None,
        **LEASE.let_go,
        forwarded_at=now,
    )


def _note_failure(*, source: Source, error: str, now: datetime) -> None:
    own = PushedState.objects.for_organization(source.organization_id).filter(source=source)
    failures = own.values_list("forward_failure_count", flat=True).get() + 1
    pause = pause_after(failures=failures, first=FIRST_PAUSE, longest=LONGEST_PAUSE)
    own.update(
        forward_state="failing",
        forward_error=error[:300],
        forward_failure_count=failures,
        forward_due_at=now + pause,
        **LEASE.let_go,
    )
