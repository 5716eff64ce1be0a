"""Before the clocks: Slurm's daemons stamp their words in the output of a job by the zone of their
host, the job's programs by that of their container.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import Event, Mark, Reading
from apps.diagnosis.reasoning.timing.clocks.zones import HALF_HOUR, NONE
from apps.diagnosis.signatures.marks import marked

DAEMONS: Final = "slurm_message"
# So near to each other stand the lines of a program around a daemon's word.
NEAR: Final = timedelta(minutes=5)
# A launcher hears of a signal within seconds.
SIGNALS: Final = marked(Mark.SIGNALLED)
HEARD: Final = timedelta(minutes=1)
# Slurm ends a step at once when one of its tasks has failed.
AT_ONCE: Final = "DUE TO TASK FAILURE"


def restamped(*, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings with the daemons' words in the zone of the lines around them.

    Only where these say that no time can have passed: they stand on both sides, the daemon tells
    of a task that had failed, or the launcher below of the signal that the daemon sent it.
    """
    return [_restamped(one) for one in readings]


def _restamped(reading: Reading) -> Reading:
    stamped = sorted(
        (event for event in (*reading.events, *reading.progress) if _local(event) is not None),
        key=lambda event: event.line.number,
    )
    moved: dict[int, timedelta] = {}
    for place, event in enumerate(stamped):
        if event.line.dialect == DAEMONS and (shift := _shift(event, place, stamped)):
            moved[event.line.number] = shift
    if not moved:
        return reading
    return replace(
        reading,
        events=tuple(_moved(event, moved) for event in reading.events),
        progress=tuple(_moved(event, moved) for event in reading.progress),
    )


def _local(event: Event) -> datetime | None:
    """Return the printed time of a line of which nothing says the zone."""
    return event.line.local_at if event.line.at is None else None


def _shift(event: Event, place: int, stamped: Sequence[Event]) -> timedelta:
    """Return by how many half hours a daemon's zone is ahead of its neighbours'."""
    before = next((e for e in reversed(stamped[:place]) if e.line.dialect != DAEMONS), None)
    after = next((e for e in stamped[place + 1 :] if e.line.dialect != DAEMONS), None)
    own, earlier = _local(event), _local(before) if before else None
    later = _local(after) if after else None
    if own is not None and later is not None and after and after.signature in SIGNALS:
        return _apart(own, later, HEARD)
    if own is None or earlier is None:
        return NONE
    is_between = later is not None and abs(later - earlier) <= NEAR
    if not is_between and AT_ONCE not in event.line.text:
        return NONE
    return _apart(own, earlier, NEAR)


def _apart(own: datetime, other: datetime, slack: timedelta) -> timedelta:
    shift = round((own - other) / HALF_HOUR) * HALF_HOUR
    return shift if abs(own - other - shift) <= slack else NONE


def _moved(event: Event, moved: Mapping[int, timedelta]) -> Event:
    own = _local(event)
    shift = moved.get(event.line.number)
    if own is None or shift is None or event.line.dialect != DAEMONS:
        return event
    return replace(event, line=replace(event.line, local_at=own - shift))
