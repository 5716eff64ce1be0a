"""What was over again before the failure did not cause it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from apps.diagnosis.model import Event, Observation, Role, Statement, statement
from apps.diagnosis.signatures.load import load_catalog

# An interruption that was over this long before the failure did not cause it.
RECOVERED_BEFORE = timedelta(seconds=60)
# Who waits for a file server goes on when it answers; no watchdog gives up sooner than this.
HELD_UP = timedelta(minutes=5)
RECOVERIES = {key: one.ends for key, one in load_catalog().items() if one.ends}
# What the client of a file server does that gives no error to its programs.
WAITS = "still trying"
# It may be gone again after the session had stopped.
HAPPENED = frozenset({"joined", "late"})
Part: TypeAlias = tuple[str | None, str, str | None]  # host, sign, server; None: of any server
Recoveries: TypeAlias = Mapping[Part, Sequence[Observation]]
LeftOut: TypeAlias = tuple[str, Statement]  # the standing of what does not belong, and the reason


def is_back(*, observations: Sequence[Observation], cause: str) -> bool:
    """Say whether each part that a cause is told of was heard to work again after its last fault.

    A fault that nothing takes back, as a file handle that is lost, stays.
    """
    faults = [
        one
        for one in observations
        if one.standing in HAPPENED and one.role is Role.INITIATING and cause in one.causes
    ]
    recoveries = recoveries_of(observations)
    return bool(faults) and all(
        any(_is_after(recovery, one) for recovery in _of_part(one, recoveries)) for one in faults
    )


def recoveries_of(observations: Iterable[Observation]) -> Recoveries:
    """Return what tells that something is over, by the part and the sign that it ends."""
    found: dict[Part, list[Observation]] = {}
    for one in observations:
        for sign in RECOVERIES.get(one.sign, ()):
            for server in (one.fields.get("server", ""), None):
                found.setdefault((one.host, sign, server), []).append(one)
    return found


def recovered(
    *, one: Observation, failed_at: datetime | None, recoveries: Recoveries
) -> LeftOut | None:
    """Return why an observation is left out that one of the recoveries ended in time."""
    for recovery in _of_part(one, recoveries):
        because = _ended_by(recovery, one, failed_at)
        if because is not None:
            return ("recovered", because)
    return None


def _of_part(one: Observation, recoveries: Recoveries) -> Iterator[Observation]:
    """Yield the recoveries of its part; who names no server speaks of each."""
    server = one.fields.get("server", "")
    for each in (server, "") if server else (None,):
        yield from recoveries.get((one.host, one.sign, each), ())


def _ended_by(
    recovery: Observation, one: Observation, failed_at: datetime | None
) -> Statement | None:
    """Return why a recovery makes it no cause; None where it may have harmed all the same."""
    if one.at is None or one.last_at is None:
        return statement("over-again") if _ends_with(recovery, one) else None
    if recovery.last_at is None or recovery.last_at < one.last_at - one.error:
        return None
    if failed_at is None:
        held = recovery.last_at - one.at
        is_waited = one.fields.get("what") == WAITS and held < HELD_UP
        return statement("over-after", span=held) if is_waited else None
    is_before = recovery.last_at < failed_at - RECOVERED_BEFORE
    return statement("over-before", span=failed_at - recovery.last_at) if is_before else None


def _is_after(recovery: Observation, one: Observation) -> bool:
    if one.last_at is None or recovery.last_at is None:
        return _ends_with(recovery, one)
    return recovery.last_at > one.last_at


def _ends_with(recovery: Observation, one: Observation) -> bool:
    """Say whether in logs without times the recovery is the last word of each that has both."""
    last = {event.line.origin.source: event.line.number for event in _in_order(one)}
    back = {event.line.origin.source: event.line.number for event in _in_order(recovery)}
    shared = set(last) & set(back)
    return bool(shared) and all(back[source] > last[source] for source in shared)


def _in_order(one: Observation) -> list[Event]:
    return sorted(one.events, key=lambda event: event.order_key)
