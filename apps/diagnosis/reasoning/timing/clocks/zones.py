"""Zone mistakes: whole steps of a quarter of an hour that bring a voice to the session."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.diagnosis.model import Stream
from apps.diagnosis.reasoning.timing.clocks.early_ends import ended_early
from apps.diagnosis.reasoning.timing.clocks.source_stamps import Voice, VoiceSpan
from apps.diagnosis.zone_names import APART

NONE, QUARTER, HALF_HOUR, HOUR = (timedelta(minutes=each) for each in (0, 15, 30, 60))
# A zone mistake is at least an hour and at most the width of the zones.
LEAST_ZONE, MOST_ZONE = timedelta(hours=1), timedelta(hours=14)
# Two kinds of log may each be in a zone of their own, one far in the east, one in the west.
MOST_APART = timedelta(hours=26)
# Ends of the logs of one session differ by its timeouts, so an alignment may miss by this much.
END_SLACK = timedelta(minutes=10)
# A fault and the failure that follows from it; across hosts the clocks' own offsets come on top.
PAIR_SLACK, PAIR_SLACK_ACROSS = timedelta(seconds=45), timedelta(seconds=150)
# One host's old fault may lie at a whole hour by chance; several hosts' do not, nor does one of a
# process that the session's log names, too.
LEAST_WITNESSES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """When the session failed, by the clock of each host, and faults by each other voice."""

    of_host: Mapping[str, Sequence[datetime]]
    of_all: Sequence[datetime]
    faults: Mapping[Voice, Sequence[datetime]]
    # Of these, those that name a process which the session's own log of the host names.
    own_faults: Mapping[Voice, Sequence[datetime]] = field(default_factory=dict)
    # How long watchdogs had waited when they ended the session: other logs may be silent so long.
    waited: timedelta = NONE

    def misses(self, span: VoiceSpan, shift: timedelta) -> timedelta | None:
        """Return by how much the best pair of a fault and a failure misses, None without one."""
        return self._missed(span, self.faults.get(span.voice, ()), shift)

    def witnesses(self, span: VoiceSpan, shift: timedelta) -> set[str]:
        """Return what says that the shift is right: the host, and a process that both logs name."""
        if self.misses(span, shift) is None:
            return set()
        of_process = self._missed(span, self.own_faults.get(span.voice, ()), shift)
        return {span.host} | ({f"{span.host} process"} if of_process is not None else set())

    def _missed(
        self, span: VoiceSpan, faults: Sequence[datetime], shift: timedelta
    ) -> timedelta | None:
        own = self.of_host.get(span.host, ())
        pairs = [(PAIR_SLACK, own)] if own else [(PAIR_SLACK_ACROSS, self.of_all)]
        missed = (
            abs(fault + shift - moment)
            for slack, moments in pairs
            for fault in faults
            for moment in moments
            if abs(fault + shift - moment) <= slack
        )
        return min(missed, default=None)


def session_shifts(*, spans: Sequence[VoiceSpan]) -> dict[Voice, timedelta]:
    """Return what each session log is to be moved by to end with the others."""
    sessions = [span for span in spans if span.stream is Stream.SESSION]
    frame = frame_of(sessions)
    if not frame:
        return {}
    start, end = middle(one.first for one in frame), middle(one.last for one in frame)
    shifts = {one.voice: _session_shift(one, start, end) for one in sessions}
    return shifts | dict.fromkeys(ended_early(sessions, start, shifts, END_SLACK), NONE)


def zone_shifts(
    *, spans: Sequence[VoiceSpan], of_sessions: Mapping[Voice, timedelta], moments: Moments
) -> dict[Voice, timedelta]:
    """Return what each voice is to be moved by, given what moves the sessions.

    Where nobody said the session's zone, those who print theirs tell it.
    """
    sessions = [span for span in spans if span.stream is Stream.SESSION]
    frame = frame_of(sessions)
    if not frame:
        return {}
    end = middle(one.last for one in frame)
    by_host = {one.host: of_sessions[one.voice] for one in sessions if one.host}
    others = [span for span in spans if span.stream is not Stream.SESSION]
    zoned, naive = ([one for one in others if one.is_zoned is kind] for kind in (True, False))
    common = _common(naive, moments, end)
    shifts = dict(of_sessions) | {
        one.voice: _of_naive(one, naive, moments, end, by_host, common) for one in naive
    }
    true = _Common() if any(one.is_zoned for one in sessions) else _common(zoned, moments, end)
    # A whole host may be wrong about its zone, too.
    shifts |= {
        one.voice: _of_zoned(one, moments, end, by_host.get(one.host, NONE), true) for one in zoned
    }
    return {voice: shift - true.shift for voice, shift in shifts.items()}


def frame_of(sessions: Sequence[VoiceSpan]) -> list[VoiceSpan]:
    return [span for span in sessions if span.is_zoned] or list(sessions)


def middle(stamps: Iterable[datetime]) -> datetime:
    ordered = sorted(stamps)
    return ordered[len(ordered) // 2]


def _end_shift(span: VoiceSpan, end: datetime, step: timedelta = HALF_HOUR) -> timedelta:
    """Return the whole steps that bring the end of a voice to the end of the session, or zero."""
    shift = round((end - span.last) / step) * step
    misses = abs(end - span.last - shift) > END_SLACK
    return NONE if misses or not _is_zone(shift) else shift


def _is_zone(shift: timedelta) -> bool:
    return LEAST_ZONE <= abs(shift) <= MOST_ZONE


def _session_shift(span: VoiceSpan, start: datetime, end: datetime) -> timedelta:
    is_dead_early = abs(span.first - start) <= END_SLACK and span.first != span.last
    return NONE if is_dead_early else _end_shift(span, end)


def _ends_with(span: VoiceSpan, end: datetime, waited: timedelta) -> bool:
    return -END_SLACK * 2 - waited <= span.last - end <= HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class _Common:
    """What the logs of one kind are all to be moved by."""

    shift: timedelta = NONE
    is_sure: bool = False  # several witnesses meet the session's failure under it


def _common(voices: Sequence[VoiceSpan], moments: Moments, end: datetime) -> _Common:
    """Return the one shift that several hosts share: by paired faults, else by their ends.

    How long logs go on after the session says nothing: only what coincides does.
    """
    if not voices:
        return _Common()
    hosts: dict[timedelta, set[str]] = defaultdict(set)
    for one in voices:
        for shift in paired_shifts(one, moments, QUARTER, MOST_APART):
            if abs(shift) in APART:
                hosts[shift] |= moments.witnesses(one, shift)
    least = min(LEAST_WITNESSES, len({one.host for one in voices}))
    unmoved = {told for one in voices for told in moments.witnesses(one, NONE)}
    paired = max(hosts, key=lambda each: (len(hosts[each]), -abs(each)), default=NONE)
    if paired and len(hosts[paired]) >= least and len(hosts[paired]) > len(unmoved):
        # Faults hours before may be old ones; faults hours after the end have a wrong zone.
        is_sure = len(hosts[paired]) >= LEAST_WITNESSES
        is_likely = paired < NONE and paired % HOUR == NONE and abs(paired) <= MOST_ZONE
        if is_sure or (is_likely and not mostly_end(voices, end, moments.waited)):
            return _Common(shift=paired, is_sure=is_sure)
    if len(unmoved) >= least or mostly_end(voices, end, moments.waited):
        return _Common(is_sure=len(unmoved) >= LEAST_WITNESSES)
    by_ends = Counter(_end_shift(one, end) for one in voices)
    shift = max(by_ends, key=lambda each: (by_ends[each], -abs(each)), default=NONE)
    return _Common(shift=shift) if by_ends[shift] >= LEAST_WITNESSES else _Common()


def mostly_end(voices: Sequence[VoiceSpan], end: datetime, waited: timedelta) -> bool:
    return sum(_ends_with(one, end, waited) for one in voices) * 2 > len(voices)


def paired_shifts(
    span: VoiceSpan,
    moments: Moments,
    step: timedelta,
    most: timedelta = MOST_ZONE,
    least: timedelta = LEAST_ZONE,
) -> set[timedelta]:
    """Return all shifts of whole steps under which a fault of a voice meets a failure."""
    own = moments.of_host.get(span.host) or moments.of_all
    found = {
        round((moment - fault) / step) * step
        for fault in moments.faults.get(span.voice, ())
        for moment in own
    }
    return {
        shift
        for shift in found
        if least <= abs(shift) <= most and moments.misses(span, shift) is not None
    }


def _of_naive(
    span: VoiceSpan,
    peers: Sequence[VoiceSpan],
    moments: Moments,
    end: datetime,
    by_host: Mapping[str, timedelta],
    common: _Common,
) -> timedelta:
    settled = _settled(span, moments, end, common)
    if settled is not None:
        return settled
    alike = _like_peers(span, [one for one in peers if one is not span], common.shift)
    if alike is not None:
        return alike
    for shift in sorted(paired_shifts(span, moments, HOUR), key=abs):
        if shift < NONE or shift == common.shift:
            return shift
    if common.is_sure:
        return common.shift
    candidates = (NONE, by_host.get(span.host, NONE), common.shift)
    return _closest(span, end, candidates, moments.waited)


def _settled(span: VoiceSpan, moments: Moments, end: datetime, common: _Common) -> timedelta | None:
    """Return what needs no guess: a host deviates from its kind only by its own faults."""
    if common.is_sure and moments.misses(span, common.shift) is not None:
        return common.shift
    is_unmoved = common.shift == NONE and _ends_with(span, end, moments.waited)
    return NONE if is_unmoved or moments.misses(span, NONE) is not None else None


def _of_zoned(
    span: VoiceSpan, moments: Moments, end: datetime, of_host: timedelta, common: _Common
) -> timedelta:
    if common.is_sure and moments.misses(span, common.shift) is not None:
        return common.shift
    return _closest(span, end, (common.shift, common.shift + of_host), moments.waited)


def _like_peers(span: VoiceSpan, peers: Sequence[VoiceSpan], common: timedelta) -> timedelta | None:
    """Return the shift that gives a voice both the beginning and the end of the others."""
    if len(peers) < LEAST_WITNESSES:
        return None
    first = middle(one.first for one in peers) + common
    last = middle(one.last for one in peers) + common
    shift = round((last - span.last) / HALF_HOUR) * HALF_HOUR
    is_alike = abs(span.last + shift - last) <= END_SLACK
    is_alike = is_alike and abs(span.first + shift - first) <= END_SLACK
    return shift if is_alike and _is_zone(shift) else None


def _closest(
    span: VoiceSpan, end: datetime, candidates: Iterable[timedelta], waited: timedelta
) -> timedelta:
    """Prefer no shift when the voice already ends around the session's end."""
    if _ends_with(span, end, waited):
        return NONE
    return min(candidates, key=lambda one: (abs(span.last + one - end), abs(one)))
