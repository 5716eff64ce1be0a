"""Beside the steps: several attempts in one input are told apart before anything is concluded.

Evidence of one attempt is never joined to another.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from apps.diagnosis.model import (
    Anomaly,
    AttemptVerdict,
    Diagnosis,
    EndState,
    Event,
    Extent,
    Origin,
    Phase,
    Reading,
    Role,
    Severity,
    Stream,
    VerdictStatus,
)
from apps.diagnosis.observed import rank_of

# The launcher says itself that what ran before is over.
SURE = frozenset({"torchrun-restart", "torchrun-membership", "slurm-requeued", "script-restarts"})
# The program may also go on from a checkpoint in its first attempt.
MARKS = SURE | {"attempt-begins"}
LAUNCHES = frozenset({"nccl-version", "nccl-bootstrap-using", "pg-init-options"})
# A launcher that waits for its hosts has not begun.
WAITING = frozenset({"torchrun-rendezvous-start", "torchrun-rendezvous-joined"})
DEFAULT_GROUPS = frozenset({"", "0"})
GRAVE = frozenset({Severity.ERROR, Severity.FATAL})
ENDINGS = frozenset({Role.CASCADE, Role.TEARDOWN})
BEGINNINGS = frozenset({Role.INITIATING, Role.CONFIRMATION})
# Ranks of the attempt before still end for so long after the launcher gave it up.
ENDING = timedelta(seconds=15)
# No rank of the attempt before speaks so long after the launcher gave it up.
LONG_AFTER = timedelta(minutes=10)
# Starting again takes this long at most until the first library speaks.
STARTING = timedelta(minutes=20)
# A launch this soon after a failure is a late rank of the same attempt.
LATE_RANKS = timedelta(seconds=20)
LAUNCH_TOGETHER = timedelta(minutes=10)
LEAST_SHARE = 0.5
# Paths of launchers that keep the logs of each attempt in a folder of its own.
NUMBERED = re.compile(r"(?:^|[/_.-])(?:attempt|restart|try)[_-]?(\d{1,4})(?=[/_.-]|$)", re.ASCII)
# A restart that fails so soon without a step has not got going: it tells of the failure before.
NEVER_STARTED = timedelta(minutes=15)
ORDERLY = frozenset({EndState.FINISHED, EndState.WALLTIME, EndState.CANCELLED, EndState.PREEMPTED})
SETTING_UP = frozenset({Phase.LAUNCH, Phase.INIT, Phase.UNKNOWN})

At = Callable[[Event], datetime | None]
Told = Sequence[tuple[datetime, tuple[str, int], Event]]
Correction = Callable[[str, str], timedelta]  # (source, host as printed) → what is added


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What was said of one attempt."""

    readings: tuple[Reading, ...]
    starts_at: datetime | None  # None of the first: nobody saw what was before
    ends_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cuts:
    """Where attempts begin: by the clock, by label and, in sources without times, by line."""

    at: Sequence[datetime]
    labels: Sequence[int]
    lines: Mapping[str, Sequence[int]]
    heard: Mapping[str, Sequence[tuple[int, datetime]]]  # timed lines of each source, in order
    sure: int  # so often a launcher without a clock said that it starts again

    @property
    def count(self) -> int:
        return max(len(self.at), len(self.labels) - 1, self.sure)

    def of_event(self, event: Event, at: datetime | None) -> int:
        label = label_of(event.line.origin)
        if label is not None and label in self.labels:
            return self.labels.index(label)
        if self.at:
            at = at or self._beside(event)
        if at is not None and self.at:
            return bisect_right(self.at, at)
        cuts = self.lines.get(event.line.origin.source, ())[-self.count :]
        # The last attempts are those that every source knows.
        return self.count - len(cuts) + bisect_right(cuts, event.line.number - 1)

    def _beside(self, event: Event) -> datetime | None:
        """Return when the line before it that prints a time was written, else the line after,
        unless the source starts again between them.
        """
        source, number = event.line.origin.source, event.line.number
        told = self.heard.get(source, ())
        place = bisect_right(told, number, key=lambda one: one[0])
        if place:
            return told[place - 1][1]
        if not told or any(number <= cut < told[0][0] for cut in self.lines.get(source, ())):
            return None
        return told[0][1]


def split(*, readings: Sequence[Reading], at: At, correction: Correction) -> list[Part]:
    """Return the readings of each attempt, in order; one part where nothing tells of several."""
    cuts = _cuts(readings, at)
    if not cuts.count:
        return [Part(readings=tuple(readings), starts_at=None, ends_at=None)]
    told: list[list[Reading]] = [[] for _ in range(cuts.count + 1)]
    for reading in readings:
        for index, piece in _pieces(reading, cuts, at, correction).items():
            told[index].append(piece)
    starts = [None, *(cuts.at if len(cuts.at) == cuts.count else [None] * cuts.count)]
    ends = [*starts[1:], None]
    return [
        Part(readings=tuple(pieces), starts_at=start, ends_at=end)
        for pieces, start, end in zip(told, starts, ends, strict=True)
    ]


def label_of(origin: Origin) -> int | None:
    """Return the number of an attempt by its label or the folder of its logs."""
    if origin.attempt is not None:
        return origin.attempt
    found = NUMBERED.findall(origin.source)
    return int(found[-1]) if found else None


def _cuts(readings: Sequence[Reading], at: At) -> _Cuts:
    labels = sorted({n for one in readings if (n := label_of(one.origin)) is not None})
    events = [event for one in readings for event in (*one.events, *one.progress)]
    if len(labels) > 1:
        begins: dict[int, list[datetime]] = defaultdict(list)
        for event in events:
            label, moment = label_of(event.line.origin), at(event)
            if label is not None and moment is not None:
                begins[label].append(moment)
        stamps = [min(begins[label]) for label in labels[1:] if begins[label]]
        is_whole = len(stamps) == len(labels) - 1 and stamps == sorted(stamps)
        return _Cuts(at=stamps if is_whole else (), labels=labels, lines={}, heard={}, sure=0)
    heard: dict[str, list[tuple[int, datetime]]] = defaultdict(list)
    for event in events:
        if (moment := at(event)) is not None:
            heard[event.line.origin.source].append((event.line.number, moment))
    return _Cuts(
        at=_by_clock(events, at),
        labels=(),
        lines={**_by_line(events), **(sure := _restarts(events, at))},
        heard={source: sorted(told) for source, told in heard.items()},
        sure=max(map(len, sure.values()), default=0),
    )


def _restarts(events: Sequence[Event], at: At) -> dict[str, list[int]]:
    """Return where launchers without a clock start again; of many hosts in one log the last."""
    found: dict[str, list[int]] = defaultdict(list)
    spoken: set[str] = set()
    for event in sorted(events, key=lambda one: one.order_key):
        source = event.line.origin.source
        if event.signature in SURE and at(event) is None:
            kept = found[source] if source in spoken else found[source][:-1]
            found[source] = [*kept, event.line.number]
            spoken.discard(source)
        elif event.signature not in WAITING:
            spoken.add(source)
    return found


def _by_clock(events: Sequence[Event], at: At) -> list[datetime]:
    """Return when each further attempt began: a mark of a start after a sign of failure."""
    told = [(moment, e.order_key, e) for e in events if (moment := at(e)) and _is_session(e)]
    told.sort(key=lambda one: (one[0], one[1]))
    found: list[datetime] = []
    failed: datetime | None = None
    launched = _launched(told)
    for moment, _, event in told:
        is_late = bool(found) and moment - found[-1] < ENDING
        if event.signature in MARKS:
            if (event.signature in SURE and not is_late and (failed or not found)) or (
                event.signature not in SURE and failed is not None
            ):
                found.append(moment + ENDING)
                failed = None
        elif failed is not None and moment in launched and moment - failed >= LATE_RANKS:
            found.append(moment)
            failed = None
        elif _is_failure(event) and not is_late:
            failed = moment
    starts = [_first_word(start, told, found) for start in found]
    ends = (*starts[1:], None)
    return [s for s, end in zip(starts, ends, strict=False) if _is_alive(s, end, told)]


def _is_alive(start: datetime, end: datetime | None, told: Told) -> bool:
    """Say whether an attempt itself was heard: what comes late is of the one before."""
    return any(
        moment >= start + LONG_AFTER or _is_own_word(event)
        for moment, _, event in told
        if moment >= start - ENDING and (end is None or moment < end)
    )


def _is_own_word(event: Event) -> bool:
    return _is_launch(event) or (event.role is Role.PROGRESS and event.signature not in WAITING)


def _launched(told: Told) -> frozenset[datetime]:
    """Return when processes of voices that had spoken before began again, most of them at once."""
    spoken: dict[tuple[str, str | None, int | None], datetime] = {}
    again: list[tuple[datetime, tuple[str, str | None, int | None]]] = []
    for moment, _, event in told:
        voice = (event.line.origin.source, event.line.host, rank_of(event))
        if _is_launch(event):
            first = spoken.get(voice)
            if first is not None and moment - first > LATE_RANKS:
                again.append((moment, voice))
        spoken.setdefault(voice, moment)
    return frozenset(
        moment
        for moment, _ in again
        if len({voice for at, voice in again if moment <= at <= moment + LAUNCH_TOGETHER})
        >= LEAST_SHARE * len({v for v, at in spoken.items() if at < moment})
    )


def _first_word(start: datetime, told: Told, starts: Sequence[datetime]) -> datetime:
    """Move the start of an attempt to the first word of its libraries: between is nobody's."""
    following = min((other for other in starts if other > start), default=None)
    for moment, _, event in told:
        if moment < start or (following is not None and moment >= following):
            continue
        if moment - start > STARTING or _is_failure(event):
            return start
        if _is_launch(event):
            return moment
    return start


def _by_line(events: Sequence[Event]) -> dict[str, list[int]]:
    """Return the lines of each source at which a start after a failure tells of another attempt."""
    seen: dict[str, list[int]] = defaultdict(list)
    failed: set[str] = set()
    for event in sorted(events, key=lambda one: one.order_key):
        source = event.line.origin.source
        if source in failed and (_is_launch(event) or event.signature in MARKS):
            seen[source].append(event.line.number - 1)
            failed.discard(source)
        elif _is_failure(event):
            failed.add(source)
    return seen


def _is_session(event: Event) -> bool:
    streams = {Stream.SESSION, Stream.SCHEDULER, None}
    return (event.line.origin.stream or event.line.stream) in streams


def _is_launch(event: Event) -> bool:
    is_default = event.fields.get("pg_id", "") in DEFAULT_GROUPS
    return event.signature in LAUNCHES and is_default


def _is_failure(event: Event) -> bool:
    if event.role in ENDINGS:
        return event.severity is not Severity.INFO
    return event.role in BEGINNINGS and event.severity in GRAVE


def _pieces(reading: Reading, cuts: _Cuts, at: At, correction: Correction) -> dict[int, Reading]:
    events: dict[int, list[Event]] = defaultdict(list)
    progress: dict[int, list[Event]] = defaultdict(list)
    extents: dict[int, list[Extent]] = defaultdict(list)
    for event in reading.events:
        events[cuts.of_event(event, at(event))].append(event)
    for event in reading.progress:
        progress[cuts.of_event(event, at(event))].append(event)
    spoken = {*events, *progress}
    for extent in reading.extents:
        moved = correction(reading.origin.source, extent.host or reading.origin.host or "")
        for index, piece in _clipped(extent, reading.origin, cuts, moved, spoken):
            extents[index].append(piece)
    return {
        index: Reading(
            origin=reading.origin,
            events=tuple(events[index]),
            progress=tuple(progress[index]),
            extents=tuple(extents[index]),
        )
        for index in sorted({*events, *progress, *extents})
    }


def _clipped(
    extent: Extent, origin: Origin, cuts: _Cuts, moved: timedelta, spoken: set[int]
) -> Iterator[tuple[int, Extent]]:
    """Yield how far a voice was heard in each attempt."""
    label = label_of(origin)
    if label is not None and label in cuts.labels:
        yield cuts.labels.index(label), extent
        return
    first, last = (
        _stamp(extent.first_at, extent.first_local_at),
        _stamp(extent.last_at, extent.last_local_at),
    )
    if first is None or last is None or not cuts.at:
        for index in range(cuts.count + 1):
            yield index, extent
        return
    edges = [cut - moved for cut in cuts.at]
    heard = set(range(bisect_right(edges, first), bisect_right(edges, last) + 1))
    for index in sorted(heard | spoken):
        begin = max(first, edges[index - 1]) if index else first
        end = max(begin, min(last, edges[index]) if index < len(edges) else last)
        if extent.last_at is not None:
            yield index, replace(extent, first_at=begin, last_at=end)
        else:
            yield (
                index,
                replace(
                    extent,
                    first_local_at=begin.replace(tzinfo=None),
                    last_local_at=end.replace(tzinfo=None),
                ),
            )


def _stamp(at: datetime | None, local: datetime | None) -> datetime | None:
    if at is not None:
        return at.astimezone(UTC)
    return local.replace(tzinfo=UTC) if local is not None else None


def within(*, anomalies: Sequence[Anomaly], part: Part) -> list[Anomaly]:
    """Return what was measured while an attempt ran."""
    return [
        one
        for one in anomalies
        if (part.ends_at is None or one.starts_at < part.ends_at)
        and (part.starts_at is None or (one.ends_at or one.starts_at) >= part.starts_at)
    ]


def answer(*, diagnoses: Sequence[Diagnosis], parts: Sequence[Part]) -> tuple[int, str]:
    """Return which attempt the whole answer is about, and why it is not the last."""
    last = len(diagnoses) - 1
    if diagnoses[last].end_state in ORDERLY and not _has_failed(diagnoses[last]):
        return last, ""
    for index in range(last, -1, -1):
        one = diagnoses[index]
        if not _has_failed(one):
            continue
        if index and _never_got_going(one, parts[index]) and _has_failed(diagnoses[index - 1]):
            continue
        return index, _why(diagnoses[index + 1 :])
    return last, ""


def told(
    *, diagnoses: Sequence[Diagnosis], parts: Sequence[Part], index: int, because: str
) -> tuple[AttemptVerdict, ...]:
    """Return what was concluded of each attempt; one of them is the answer."""
    return tuple(
        AttemptVerdict(
            number=number,
            verdict=one.verdict,
            end_state=one.end_state,
            starts_at=part.starts_at,
            failed_at=one.failed_at,
            is_answer=number == index + 1,
            because=because if number == index + 1 else "",
        )
        for number, (one, part) in enumerate(zip(diagnoses, parts, strict=True), 1)
    )


def _why(later: Sequence[Diagnosis]) -> str:
    if any(_has_failed(one) for one in later):
        return "later attempts failed before their first step: they tell of the failure before"
    return "nothing tells that a later attempt failed" if later else ""


def _has_failed(one: Diagnosis) -> bool:
    is_named = one.verdict.status in {VerdictStatus.LIKELY, VerdictStatus.POSSIBLE}
    return is_named or one.end_state is EndState.FAILED


def _never_got_going(one: Diagnosis, part: Part) -> bool:
    is_set_up = one.phase not in SETTING_UP or one.verdict.status is VerdictStatus.LIKELY
    if is_set_up or part.starts_at is None or one.failed_at is None:
        return False
    return one.failed_at - part.starts_at <= NEVER_STARTED
