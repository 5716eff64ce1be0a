"""How a session ended that is no incident, as its owner's own logs and its scheduler tell it."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from django.core.cache import cache

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import EndState, Event, Reading, Stream, VerdictStatus
from apps.diagnosis.reasoning.timing.phases.words import ENDS
from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts.attempt_facts import Gathered, gather
from apps.incidents.projection.values import Ending
from apps.tenancy.access import Actor, Right
from apps.tenancy.work.task_requests import AWAY

KEPT_SECONDS: Final = 3600
OPEN = frozenset({EndState.UNKNOWN, EndState.FAILED})


def endings_of(*, actor: Actor, session_ids: Collection[int]) -> dict[int, Ending]:
    """Return session id → how its last attempt ended without a failure, where that is known.

    Only of the actor's organization's own sessions: needs its scope, and reads nobody else's logs.
    """
    actor.require(Right.READ)
    own = Attempt.objects.for_organization(actor.organization).filter(session__in=session_ids)
    last = own.order_by("session_id", "-number", "-id").distinct("session_id")
    found = {attempt.session_id: _ending(attempt) for attempt in last}
    return {session_id: ending for session_id, ending in found.items() if ending}


def _ending(attempt: Attempt) -> Ending | None:
    gathered = gather(attempt=attempt)
    # Reading a page again is no reason to think again.
    newest = gathered.newest_received_at
    key = f"ending:{attempt.pk}:{attempt.state}:{newest.timestamp() if newest else 0}"
    kept = _kept(key)
    if kept is None:
        kept = _told(_concluded(attempt=attempt, gathered=gathered))
        _keep(key, kept)
    return _read(kept)


def _concluded(*, attempt: Attempt, gathered: Gathered) -> Ending | None:
    diagnosis = diagnose(
        readings=gathered.readings,
        anomalies=gathered.anomalies,
        topology=gathered.topology,
        facts=gathered.facts,
        expected=gathered.expected,
    )
    state = diagnosis.end_state
    if diagnosis.verdict.status is not VerdictStatus.NO_FAILURE or state in OPEN:
        return None
    told = [event for event in _events(gathered.readings) if ENDS.get(event.signature) == state]
    said = max((event.line.at for event in told if event.line.at), default=None)
    users = {str(event.fields["uid"]) for event in told if event.fields.get("uid")}
    return Ending(
        state=state,
        at=attempt.ended_at or said or _last_heard(gathered.readings),
        user=users.pop() if len(users) == 1 else "",
    )


def _events(readings: Sequence[Reading]) -> Iterator[Event]:
    for reading in readings:
        yield from reading.events


def _last_heard(readings: Sequence[Reading]) -> datetime | None:
    """Return the last time that the session's own logs have."""
    heard = [
        extent.last_at
        for reading in readings
        for extent in reading.extents
        if extent.last_at and {reading.origin.stream, extent.stream} & {Stream.SESSION, None}
    ]
    return max(heard, default=None)


def _told(ending: Ending | None) -> dict[str, Any]:
    if ending is None:
        return {}
    at = ending.at.isoformat() if ending.at else None
    return {"state": ending.state.value, "at": at, "user": ending.user}


def _read(told: dict[str, Any]) -> Ending | None:
    if not told:
        return None
    at = datetime.fromisoformat(told["at"]) if told["at"] else None
    return Ending(state=EndState(told["state"]), at=at, user=told["user"])


def _kept(key: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] | None = cache.get(key)
    except AWAY:
        return None
    return found


def _keep(key: str, told: dict[str, Any]) -> None:
    try:
        cache.set(key, told, timeout=KEPT_SECONDS)
    except AWAY:
        return
