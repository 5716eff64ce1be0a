"""Zones that no line states: in which others the logs may be, by what would coincide there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from apps.diagnosis.model import Stream
from apps.diagnosis.reasoning.timing.clocks.source_stamps import OpenZone, Voice, VoiceSpan
from apps.diagnosis.reasoning.timing.clocks.zones import (
    LEAST_WITNESSES,
    LEAST_ZONE,
    MOST_APART,
    NONE,
    QUARTER,
    Moments,
    frame_of,
    middle,
    mostly_end,
    paired_shifts,
)
from apps.diagnosis.zone_names import APART, IN_USE, WITH_UTC

# Every further reading is a further chance to meet by accident.
MOST = 3
Shifts = Mapping[Voice, timedelta]


def open_zones(
    *,
    spans: Sequence[VoiceSpan],
    of_sessions: Shifts,
    shifts: Shifts,
    moments: Moments,
    doubts: Mapping[str, timedelta],
) -> tuple[OpenZone, ...]:
    """Return the zones beside the taken ones under which a fault meets the session's failure.

    `of_sessions` and `shifts` are what was found, `moments` what they were found by; of the
    sources in `doubts` the zone was guessed, and may be the more to the east by so much.
    """
    sessions = [one for one in spans if one.stream is Stream.SESSION]
    frame = frame_of(sessions)
    if not frame:
        return ()
    end = middle(one.last for one in frame)
    first = frame[0].voice
    base = shifts.get(first, NONE) - of_sessions[first]

    stated = {one.voice for one in spans if one.is_zoned and one.voice[0] not in doubts}
    is_open = not any(one.voice in stated for one in sessions)
    others = [one for one in spans if one.stream is not Stream.SESSION]
    found: list[OpenZone] = []
    for stream in sorted({one.stream for one in others if one.voice not in stated}, key=str):
        those = [one for one in others if one.stream is stream and one.voice not in stated]
        found += _of_class(_Class(stream, those, base, shifts, moments, end))
    if is_open:
        guessed = max(
            (IN_USE[-1] - doubts[o.voice[0]] for o in sessions if o.is_zoned), default=NONE
        )
        those = [one for one in others if one.voice in stated]
        own = _Class(Stream.SESSION, those, base, shifts, moments, end, guessed)
        found += [
            replace(zone, offset=guessed + zone.shift, guessed=guessed) for zone in _of_class(own)
        ]
    return tuple(sorted(found, key=_order)[:MOST])


@dataclass(frozen=True, slots=True)
class _Class:
    """Logs that share a zone, and what is known of it."""

    stream: Stream | None  # whose zone is not stated: theirs, or the session's
    spans: Sequence[VoiceSpan]
    base: timedelta  # what all voices are moved by together
    shifts: Shifts
    moments: Moments
    end: datetime
    guessed: timedelta = NONE  # the zone in which the session's times were first taken

    def may_be(self, shift: timedelta) -> bool:
        """Say whether logs can be so far apart: by one zone in use, or by the difference of two, if
        neither log states its own."""
        if self.stream is Stream.SESSION:
            return self.guessed + shift in IN_USE
        return abs(shift) in APART

    def taken(self, one: VoiceSpan) -> timedelta:
        """Return what moves a voice onto the session's."""
        return self.shifts.get(one.voice, NONE) - self.base

    def witnesses(self, by: Shifts) -> set[str]:
        """Return what meets the session's failure under these shifts."""
        return {told for one in self.spans for told in self.moments.witnesses(one, by[one.voice])}

    def ends(self, by: Shifts) -> int:
        """Return 1 where most logs end with the session under these shifts, else 0."""
        moved = [replace(one, last=one.last + by[one.voice]) for one in self.spans]
        return int(mostly_end(moved, self.end, self.moments.waited))


def _of_class(those: _Class) -> list[OpenZone]:
    """Return the other zones and how much coincides there; none where several agree on one."""
    taken = {one.voice: those.taken(one) for one in those.spans}
    told = those.witnesses(taken)
    if len(told) >= LEAST_WITNESSES:
        return []
    ends = those.ends(taken)
    least = QUARTER if those.guessed else LEAST_ZONE
    asked = {
        shift
        for one in those.spans
        for shift in paired_shifts(one, those.moments, QUARTER, MOST_APART, least)
        if shift != taken[one.voice] and those.may_be(shift)
    }
    found: list[OpenZone] = []
    for shift in asked:
        by = dict.fromkeys(taken, shift)
        witnesses, moved_ends = those.witnesses(by), those.ends(by)
        zone = OpenZone(
            stream=those.stream,
            shift=shift,
            voices=frozenset(taken),
            support=2 * (len(witnesses) + moved_ends) + (abs(shift) in WITH_UTC),
            is_better=len(witnesses) > len(told),
            is_weak=ends > moved_ends,
        )
        found.append(zone)
    for one in those.spans:
        shift = taken[one.voice]
        if shift and those.moments.misses(one, shift) is not None and not _is_agreed(those, shift):
            zone = OpenZone(
                stream=those.stream,
                shift=shift,
                voices=frozenset({one.voice}),
                support=2 * (len(told) + ends),
                is_taken=True,
            )
            found.append(zone)
    return found


def _is_agreed(those: _Class, shift: timedelta) -> bool:
    """Say whether the ends of several logs ask for the shift, too."""
    moved = [one for one in those.spans if those.taken(one) == shift]
    ends = [
        mostly_end([replace(one, last=one.last + shift)], those.end, those.moments.waited)
        for one in moved
    ]
    return sum(ends) >= LEAST_WITNESSES


def with_zone(*, shifts: Shifts, of_sessions: Shifts, zone: OpenZone) -> dict[Voice, timedelta]:
    """Return the shifts with some logs in another zone."""
    base = next((shifts.get(voice, NONE) - own for voice, own in of_sessions.items()), NONE)
    if zone.stream is not Stream.SESSION:
        return dict(shifts) | dict.fromkeys(zone.voices, base + zone.shift)
    # Who states its zone stays; the session and whoever is in its zone move.
    moved = {voice: shift - base - zone.shift for voice, shift in shifts.items()}
    return moved | dict.fromkeys(zone.voices, NONE)


def _order(zone: OpenZone) -> tuple[int, timedelta, timedelta, str]:
    return (-zone.support, abs(zone.shift), zone.shift, str(zone.stream))
