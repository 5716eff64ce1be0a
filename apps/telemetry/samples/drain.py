"""Whose pushed metrics go into the window next: one source at a time, a few seconds a turn."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from apps.telemetry.limits import intake_queue
from apps.telemetry.limits.intake_queue import GroupLimits, IntakeQueue, IntakeTurn
from apps.telemetry.models import BatchState, PushedBody, Source
from apps.telemetry.samples import interpret, set_aside
from apps.telemetry.samples.source_lock import has_turn
from apps.tenancy.scope import organization_scope

# About a second of work, and some ten megabytes as columns.
GROUP_SAMPLES: Final = 100_000
GROUP_BYTES: Final = 8 * 2**20
GROUP_COUNT: Final = 500
TURN_SECONDS: Final = 1.0


def take_turn(
    *, organization_id: int, clock: Callable[[], float], now: Callable[[], datetime]
) -> IntakeTurn:
    """Put what an organization pushed into its windows, oldest first, until the turn is over."""
    queues = (
        queue_of(organization_id=organization_id, source_id=source_id)
        for source_id in _waiting_sources(organization_id)
    )
    return intake_queue.take_turn(queues=queues, seconds=TURN_SECONDS, clock=clock, now=now)


def queue_of(*, organization_id: int, source_id: int) -> IntakeQueue:
    """Return the bodies of a source as they wait."""
    own = PushedBody.objects.for_organization(organization_id)
    return IntakeQueue(
        name="pushed",
        organization_id=organization_id,
        rows=lambda: own.filter(source_id=source_id, state=BatchState.ACCEPTED),
        take_turn=lambda: has_turn(source_id=source_id),
        work=lambda group, now: _interpret(organization_id, source_id, group, now),
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
