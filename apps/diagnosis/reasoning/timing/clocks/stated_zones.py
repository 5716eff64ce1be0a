"""The zone that the machines' own logs print beside logs that print none."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from apps.diagnosis.model import PrintedZone, Reading, Stream
from apps.diagnosis.reasoning.timing.clocks.source_stamps import Clocks, OpenZone, Voice, VoiceSpan
from apps.diagnosis.reasoning.timing.clocks.zones import (
    END_SLACK,
    MOST_APART,
    NONE,
    QUARTER,
    Moments,
    frame_of,
    middle,
    mostly_end,
    paired_shifts,
)
from apps.diagnosis.zone_names import IN_USE

# What runs on the machines or for the whole cluster; a vendor's server may stand anywhere.
WITHOUT_HOST = frozenset({Stream.KERNEL, Stream.SCHEDULER})


def stated_zone(
    *,
    spans: Sequence[VoiceSpan],
    offsets: Mapping[Voice, timedelta],
    moments: Moments,
    of_sessions: Mapping[Voice, timedelta],
    shifts: Mapping[Voice, timedelta],
) -> OpenZone | None:
    """Return the zone of a session whose logs state none, where the logs of its machines agree.

    A container often runs in UTC on a host that doesn't: what coincides in UTC alone stays there.
    """
    sessions = [one for one in spans if one.stream is Stream.SESSION]
    frame = frame_of(sessions)
    if not frame or any(one.is_zoned for one in sessions):
        return None
    hosts = {one.host for one in sessions if one.host}
    told = [one for one in spans if one.voice in offsets and _is_beside(one, hosts)]
    named = {offsets[one.voice] for one in told}
    if len(named) != 1:
        return None
    (offset,) = named
    others = [one for one in spans if one.is_zoned]
    taken = of_sessions[frame[0].voice] - shifts.get(frame[0].voice, NONE)
    if not _is_likely(others, (offset, taken), moments, frame):
        return None
    return OpenZone(
        stream=Stream.SESSION,
        shift=offset,
        voices=frozenset(one.voice for one in others),
        offset=offset,
        stated_by=(told[0].stream, told[0].host),
    )


def _is_beside(span: VoiceSpan, hosts: set[str]) -> bool:
    return span.host in hosts if span.host and hosts else span.stream in WITHOUT_HOST


def _is_likely(
    others: Sequence[VoiceSpan],
    zones: tuple[timedelta, timedelta],
    moments: Moments,
    frame: Sequence[VoiceSpan],
) -> bool:
    """Say whether nothing asks for UTC, or for a third zone, more than for the one stated.

    `zones` are the one stated and the one that what coincides asks for so far.
    """
    offset, taken = zones
    there, *here = (len(_witnesses(others, each, moments)) for each in (offset, NONE, taken))
    if there or any(here):
        return there >= max(here)
    end = middle(one.last for one in frame)
    ends = [
        mostly_end([_moved(one, shift) for one in others], end, moments.waited)
        for shift in (offset, NONE)
    ]
    if any(ends):
        return ends[0]
    return not _is_elsewhere(others, moments) and (
        _is_covered(others, offset, end, moments.waited)
        or not _is_covered(others, NONE, end, moments.waited)
    )


def _witnesses(others: Sequence[VoiceSpan], shift: timedelta, moments: Moments) -> set[str]:
    return {told for one in others for told in moments.witnesses(one, shift)}


def _moved(span: VoiceSpan, shift: timedelta) -> VoiceSpan:
    return replace(span, first=span.first + shift, last=span.last + shift)


def _is_elsewhere(others: Sequence[VoiceSpan], moments: Moments) -> bool:
    """Say whether a fault meets the failure in a third zone."""
    return any(
        shift in IN_USE
        for one in others
        for shift in paired_shifts(one, moments, QUARTER, MOST_APART, QUARTER)
    )


def _is_covered(
    others: Sequence[VoiceSpan], shift: timedelta, end: datetime, waited: timedelta
) -> bool:
    """Say whether a log reaches the end, but for what it may have been silent before it."""
    moved = [_moved(one, shift) for one in others]
    return any(one.first <= end <= one.last + END_SLACK + waited for one in moved)


def offsets_of(*, readings: Sequence[Reading]) -> dict[Voice, timedelta]:
    """Return what each voice prints for its offset from UTC, but for UTC itself."""
    return {
        (reading.origin.source, extent.host or reading.origin.host or ""): extent.offset
        for reading in readings
        for extent in reading.extents
        if extent.offset
    }


def printed_zone(*, clocks: Clocks, spans: Sequence[VoiceSpan]) -> PrintedZone | None:
    """Return in which zone the times are taken that name none; None where all name one."""
    sessions = [one.voice for one in spans if one.stream is Stream.SESSION and not one.is_zoned]
    moved = clocks.shifts.get(sessions[0], NONE) if sessions else NONE
    taken = clocks.stated
    base = -taken.shift if taken else NONE
    if moved != base:
        return None  # by what coincides: the corrections say so
    naive = {
        one.stream
        for one in spans
        if not one.is_zoned and clocks.shifts.get(one.voice, NONE) == base
    }
    if not naive:
        return None
    return PrintedZone(
        streams=tuple(sorted((one for one in naive if one), key=str)),
        offset=-base,
        stated_by=taken.stated_by[0] if taken and taken.stated_by else None,
        host=(taken.stated_by[1] or None) if taken and taken.stated_by else None,
    )
