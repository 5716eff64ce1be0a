"""Whose batches are interpreted next: one organization at a time, a few seconds a turn."""

from collections.abc import Callable
from datetime import datetime

from apps.telemetry.limits import intake_queue
from apps.telemetry.limits.intake_queue import GroupLimits, IntakeQueue, IntakeTurn
from apps.telemetry.logs import set_aside
from apps.telemetry.logs.interpretation import interpret
from apps.telemetry.models import Batch, BatchState
from apps.tenancy.database.advisory_locks import Lock, try_hold
from apps.tenancy.work import worker_shares

# Half a second of reading where each line is dear, a twentieth of usual ones; begun before
# the turn is over, it is what another organization waits beyond it.
GROUP_BYTES = 2**20
GROUP_COUNT = 200
GROUP_VOICES = 300
TURN_SECONDS = 0.5


def take_turn(
    *, organization_id: int, clock: Callable[[], float], now: Callable[[], datetime]
) -> IntakeTurn:
    """Interpret an organization's batches, oldest first, until none waits or the turn is over."""
    queue = queue_of(organization_id=organization_id)
    return intake_queue.take_turn(queues=(queue,), seconds=TURN_SECONDS, clock=clock, now=now)


def queue_of(*, organization_id: int) -> IntakeQueue:
    """Return an organization's batches as they wait."""
    own = Batch.objects.for_organization(organization_id)
    return IntakeQueue(
        name="batch",
        organization_id=organization_id,
        rows=lambda: own.filter(state=BatchState.ACCEPTED),
        take_turn=lambda: _has_slot(organization_id),
        work=lambda group, now: interpret.interpret_batches(
            organization_id=organization_id, batch_ids=group, now=now
        ),
        set_aside=lambda pk, reason, now: set_aside.set_aside(
            organization_id=organization_id, batch_id=pk, reason=reason, now=now
        ),
        limits=GroupLimits(
            byte_count=GROUP_BYTES,
            weight_field="voice_count",
            weight=GROUP_VOICES,
            count=GROUP_COUNT,
        ),
    )


def _has_slot(organization_id: int) -> bool:
    """Take one of the organization's slots until the transaction ends."""
    slots = range(worker_shares.of_one())
    return any(try_hold(Lock.LOG_READING, f"{organization_id}/{slot}") for slot in slots)
