"""Beside the findings: a kernel that was heard all the while and told of no kill did not kill."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from apps.diagnosis.model import Event, Observation, Reading, Stream
from apps.diagnosis.observed import canonical, renamed

Correction = Callable[[tuple[str, str]], timedelta]
KILLED = "finding:killed-first"
CAUSE = "host-oom"
# A kernel that spoke on both sides of the kill, clocks aside, was heard at it.
BESIDE = timedelta(seconds=30)


def silent_at_kills(
    *,
    observations: Sequence[Observation],
    events: Sequence[Event],
    readings: Sequence[Reading],
    correction: Correction,
    aliases: Mapping[str, str],
) -> list[Observation]:
    """Return a finding for each kill of which the kernel log of its host knows nothing.

    `correction` is what brings the stamps of a (source, host) onto the common timeline.
    """
    told = {
        canonical(event.line.host or event.line.origin.host, aliases)
        for event in events
        if CAUSE in event.causes and _is_kernel(event.line.origin.stream or event.line.stream)
    }
    kills = [one for one in observations if one.sign == KILLED and one.host and one.at]
    return [
        renamed(one, "kernel-silent")
        for one in kills
        if one.host not in told and _covers(one, readings, correction, aliases)
    ]


def _covers(
    one: Observation,
    readings: Sequence[Reading],
    correction: Correction,
    aliases: Mapping[str, str],
) -> bool:
    """Say whether a kernel log of the host was heard before and after the kill."""
    spans = [
        span
        for reading in readings
        for extent in reading.extents
        if _is_kernel(reading.origin.stream or extent.stream)
        and canonical(extent.host or reading.origin.host, aliases) == one.host
        and (
            span := (
                _placed(extent.first_at, extent.first_local_at, reading, extent.host, correction),
                _placed(extent.last_at, extent.last_local_at, reading, extent.host, correction),
            )
        )
    ]
    return one.at is not None and any(
        first and last and first <= one.at - BESIDE and one.at + BESIDE <= last
        for first, last in spans
    )


def _placed(
    at: datetime | None,
    local: datetime | None,
    reading: Reading,
    host: str | None,
    correction: Correction,
) -> datetime | None:
    raw = at or (local.replace(tzinfo=UTC) if local else None)
    voice = (reading.origin.source, host or reading.origin.host or "")
    return raw + correction(voice) if raw else None


def _is_kernel(stream: Stream | None) -> bool:
    return stream is Stream.KERNEL
