"""A part of a job that was lost while the rest ran on, as an input of its own.

To the same chain of steps it is a job that failed then: what was said before and shortly after
bears on it, and what the rest did later does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from apps.diagnosis.input_values import as_if_utc
from apps.diagnosis.model import (
    Anomaly,
    Diagnosis,
    EndState,
    Event,
    Extent,
    Reading,
    SessionFacts,
)

# Others tell of it, and the kernel of its host, a little later.
AFTER: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class LostPart:
    """One or several losses close together."""

    starts_at: datetime
    ends_at: datetime  # the last of them
    after: datetime | None = None  # what was lost before is another story; None: it is the first
    gpu_count: int = 0
    zone: timedelta = timedelta(0)  # east of UTC, of lines that print none

    @property
    def until(self) -> datetime:
        """Return until when what is said may speak of it."""
        return self.ends_at + AFTER


def facts_of_loss(*, facts: SessionFacts, lost: LostPart) -> SessionFacts:
    """Return what is known of the part: it failed, and when."""
    return replace(
        facts, state=EndState.FAILED, ended_at=lost.ends_at, exit_codes=MappingProxyType({})
    )


def readings_of_loss(*, readings: Sequence[Reading], lost: LostPart) -> list[Reading]:
    """Return what was said until shortly after the loss; lines without a time stay."""
    return [
        replace(
            each,
            events=tuple(event for event in each.events if _is_of(event, lost)),
            progress=tuple(event for event in each.progress if _is_of(event, lost)),
            extents=tuple(_clipped(extent, lost) for extent in each.extents),
        )
        for each in readings
    ]


def anomalies_of_loss(*, anomalies: Sequence[Anomaly], lost: LostPart) -> list[Anomaly]:
    """Return what was measured until shortly after the loss."""
    return [
        each
        for each in anomalies
        if each.starts_at <= lost.until
        and (lost.after is None or (each.ends_at or each.starts_at) >= lost.after)
    ]


def instant_of(event: Event, *, zone: timedelta) -> datetime | None:
    """Return when a line was printed; one that names no zone by the zone it is taken in."""
    local = as_if_utc(event.line.local_at)
    return event.line.at or (local - zone if local else None)


def zone_of(*, diagnosis: Diagnosis) -> timedelta:
    """Return the zone in which a diagnosis took lines that print none; UTC where it says none."""
    return diagnosis.printed_zone.offset if diagnosis.printed_zone else timedelta(0)


def _is_of(event: Event, lost: LostPart) -> bool:
    at = instant_of(event, zone=lost.zone)
    if at is None:
        return True
    return at <= lost.until and (lost.after is None or at >= lost.after)


def _clipped(extent: Extent, lost: LostPart) -> Extent:
    local = (lost.until + lost.zone).replace(tzinfo=None)
    return replace(
        extent,
        first_at=_earlier(extent.first_at, lost.until),
        last_at=_earlier(extent.last_at, lost.until),
        first_local_at=_earlier(extent.first_local_at, local),
        last_local_at=_earlier(extent.last_local_at, local),
    )


def _earlier(at: datetime | None, until: datetime) -> datetime | None:
    return None if at is None else min(at, until)
