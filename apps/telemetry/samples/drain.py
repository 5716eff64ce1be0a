"""Whose pushed metrics go into the window next: one source at a time, a few seconds a turn."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.telemetry.limits.reading_queue import GroupLimits, ReadingQueue
from apps.telemetry.models import BatchState, PushedBody, Source
from apps.telemetry.samples import interpret, set_aside
from apps.telemetry.samples.source_lock import has_turn
from apps.tenancy.scope import organization_scope

# About a second of work, and some ten megabytes as columns.
GROUP_SAMPLES: Final = 100_000
GROUP_BYTES: Final = 8 * 2**20
GROUP_COUNT: Final = 500
TURN_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn did."""

    body_count: int = 0
    sample_count: int = 0
    is_more: bool = False


def take_turn(
    *, organization_id: int, clock: Callable[[], float], now: Callable[[], datetime]
) -> Turn:
    """Put what an organization pushed into its windows, oldest first, until the turn is over."""
    ends_at = clock() + TURN_SECONDS
    bodies, samples = 0, 0
    for source_id in _waiting_sources(organization_id):
        queue = queue_of(organization_id=organization_id, source_id=source_id)
        while clock() < ends_at:
            step = queue.step(now=now)
            if step is None:
                break
            bodies, samples = bodies + step[0], samples + step[1]
    is_more = clock() >= ends_at
    return Turn(body_count=bodies, sample_count=samples, is_more=is_more)


def waiting_organizations(*, organization_ids: list[int]) -> list[int]:
    """Return the organizations with pushed bodies that are in no window yet."""
    with organization_scope(*organization_ids):
        waiting = PushedBody.objects.filter(state=BatchState.ACCEPTED)
        return sorted(set(waiting.values_list("organization_id", flat=True)))


def queue_of(*, organization_id: int, source_id: int) -> ReadingQueue:
    """Return the bodies of a source as they wait."""
    own = PushedBody.objects.for_organization(organization_id)
    return ReadingQueue(
        name="pushed",
        organization_id=organization_id,
        rows=lambda: own.filter(source_id=source_id, state=BatchState.ACCEPTED),
        take_turn=lambda: has_turn(source_id=source_id),
        read=lambda group, now: _interpret(organization_id, source_id, group, now),
        set_aside=lambda pk, reason, now: set_aside.set_aside(
            organization_id=organization_id, body_id=pk, reason=reason, now=now
        ),
        limits=GroupLimits(
            byte_count=GROUP_BYTES,
            weight_field="sample_count",
            weight=GROUP_SAMPLES,
            count=GROUP_COUNT,
        ),
    )


def _waiting_sources(organization_id: int) -> list[int]:
    with organization_scope(organization_id):
        own = PushedBody.objects.for_organization(organization_id)
        waiting = own.filter(state=BatchState.ACCEPTED).values_list("source_id", flat=True)
        return sorted(set(waiting))


def _interpret(organization_id: int, source_id: int, group: list[int], now: datetime) -> int:
    own = PushedBody.objects.for_organization(organization_id)
    # Whoever waited for this turn finds nothing left of what another did meanwhile.
    bodies = list(own.filter(pk__in=group, state=BatchState.ACCEPTED).order_by("id"))
    if not bodies:
        return 0
    source = Source.objects.for_organization(organization_id).get(pk=source_id)
    return interpret.interpret_bodies(source=source, bodies=bodies, now=now).sample_count
