"""Facts that step times tell: a session that became slower, a member that is slower than others."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from apps.diagnosis.echo_exceptions import is_echo
from apps.diagnosis.input_values import rank_number
from apps.diagnosis.model import (
    Event,
    Layer,
    Mark,
    Observation,
    Role,
    Severity,
    Stream,
    statement,
)
from apps.diagnosis.observed import HostOf, finding
from apps.diagnosis.reasoning.findings.pace_findings.risen_pace import (
    KEPT_UP,
    LARGE_RISE,
    LEAST,
    ROUGH,
    Steps,
    risen,
)
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.progress.step_times import FIELD, series_of

SeatOf = Callable[[int], str | None]
# Members that do the same work at the same time differ by less.
PAIR = 2
SLOWER, SLOWER_OF_TWO, LEAST_OF_MEMBER = 1.3, 1.5, 3
LEAST_REPORTS = 2
SCORE_OF_SLOW, SCORE_OF_OTHERS = 0.75, 0.9
BEGINNINGS = frozenset({Role.INITIATING, Role.CONFIRMATION})
FAILED = BEGINNINGS | {Role.CASCADE}
# A failure that is about to come makes some steps longer: this much is no such thing.
FAR = 2.0
# Somebody ends a session; what its processes say then is no failure of theirs.
BY_HAND = marked(Mark.BY_HAND)
NAMES_SLOW, SCORES = marked(Mark.NAMES_SLOW), marked(Mark.SLOWNESS_SCORE)
REPORTS = marked(Mark.SLOWNESS_REPORT)
SIGNALLED = frozenset({"-15", "143", "-9", "137", "Terminated", "Killed", "SIGTERM", "SIGKILL"})
ABORTED = frozenset({"-6", "134", "6", "Aborted", "SIGABRT"})
EXCEPTIONS = marked(Mark.EXCEPTION)
LAUNCHERS = marked(Mark.OF_LAUNCHER, Mark.OF_AGENT, Mark.TASK_EXIT, Mark.EXIT_ROW, Mark.SIGNAL_ROW)
GRAVE = frozenset({Severity.ERROR, Severity.FATAL})
STRAGGLER = re.compile(r"rank=(\d{1,7}), node='([\w.-]{1,253})'", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoicePace:
    """The step times that one voice told, the earliest first."""

    event: Event
    host: str | None
    values: Steps


def nowhere(rank: int) -> str | None:
    """Return no host: nobody said where ranks ran."""
    return None


def derive(
    *, events: Sequence[Event], host_of: HostOf, seat_of: SeatOf = nowhere
) -> Iterator[Observation]:
    """Yield what reports and step times say; of the latter nothing where a failure was told, but
    that steps took far longer until ranks gave up waiting for others and nobody said why.

    `seat_of` tells on which host a rank ran.
    """
    yield from _named(events)
    yield from _reported(events, seat_of)
    has_failed = _has_failed(events, FAILED)
    if has_failed and _has_failed(events, BEGINNINGS):
        return
    latest: dict[tuple[object, ...], Event] = {}
    for event in sorted(events, key=lambda one: one.order_key):
        if event.fields.get(FIELD):
            line = event.line
            latest[line.origin.source, event.signature, line.host, line.rank] = event
    voices = [
        VoicePace(event=event, host=host_of(event), values=np.array(series_of(event)[1]))
        for event in latest.values()
    ]
    if not has_failed:
        yield from _slower(voices)
    for voice in voices:
        rise = risen(values=voice.values, is_rough=voice.event.signature in ROUGH)
        if rise is not None and (not has_failed or rise >= FAR):
            size = "large" if rise >= LARGE_RISE else "small"
            name = "slow-until-failed" if has_failed else "step-time-rose"
            yield replace(
                finding(name, [voice.event], layer=Layer.STRAGGLER),
                causes=("slow-member",),
                fields={"rise": size},
                statement=statement("steps-take-longer", times=rise),
            )


def _has_failed(events: Sequence[Event], roles: Set[Role]) -> bool:
    """Say whether the session told of a failure before anybody ended it."""
    ends: dict[str, int] = {}
    for event in events:
        if event.signature in BY_HAND:
            source, number = event.order_key
            ends[source] = min(number, ends.get(source, number))
    return any(
        event.role in roles
        and (roles != BEGINNINGS or not (_gave_up(event) or _is_retold(event)))
        and event.severity in GRAVE
        and (event.line.origin.stream or event.line.stream) in {Stream.SESSION, None}
        and event.signature not in BY_HAND
        and not _is_of_the_end(event, ends)
        for event in events
    )


def _gave_up(event: Event) -> bool:
    """Say whether a launcher tells of a process that aborted, or that it ended: those that had
    waited long enough do.
    """
    said = {event.fields.get("exitcode", ""), event.fields.get("signal", "")} - {""}
    is_launchers = event.signature in LAUNCHERS
    return is_launchers and (said <= ABORTED | SIGNALLED if said else "SIGABRT" in event.line.text)


def _is_retold(event: Event) -> bool:
    """Say whether an exception only tells what became of others."""
    return event.signature in EXCEPTIONS and is_echo(event)


def _is_of_the_end(event: Event, ends: Mapping[str, int]) -> bool:
    source, number = event.order_key
    if not ends:
        return False
    is_signalled = (
        event.fields.get("exitcode", "") in SIGNALLED or event.fields.get("signal", "") in SIGNALLED
    )
    is_echo = event.role is Role.CASCADE and source not in ends
    return is_signalled or is_echo or number > ends.get(source, number)


def _slower(voices: Sequence[VoicePace]) -> Iterator[Observation]:
    """Yield the hosts whose steps take much longer than those of every other host."""
    kinds: dict[str, dict[str, VoicePace]] = defaultdict(dict)
    for voice in voices:
        if voice.host is not None and len(voice.values) >= LEAST_OF_MEMBER:
            known = kinds[voice.event.signature].setdefault(voice.host, voice)
            if len(voice.values) > len(known.values):
                kinds[voice.event.signature][voice.host] = voice
    for _, members in sorted(kinds.items()):
        for host in _slower_hosts(members):
            # Of two, the other may have had less to do.
            name = "host-slower-than-peers" if len(members) > PAIR else "slower-of-two-hosts"
            yield replace(
                finding(name, [members[host].event], host=host, layer=Layer.STRAGGLER),
                causes=("slow-member",),
                statement=statement("slower-than-hosts", count=len(members) - 1),
            )


def _slower_hosts(members: Mapping[str, VoicePace]) -> Iterator[str]:
    """Yield those whose fast steps take longer than the slow ones of every other, by name."""
    if len(members) < PAIR:
        return
    ratio = SLOWER if len(members) > PAIR else SLOWER_OF_TWO
    marks = [1 - KEPT_UP, 0.5, KEPT_UP]
    hosts = sorted(members)
    fast, middle, slow = np.array([np.quantile(members[host].values, marks) for host in hosts]).T
    is_slower = (fast > _highest_other(slow)) & (middle >= ratio * _highest_other(middle))
    yield from (host for host, is_one in zip(hosts, is_slower, strict=True) if is_one)


def _highest_other(values: Steps) -> Steps:
    """Return for each of at least two values the highest of all the others."""
    second, first = np.argsort(values)[-2:]
    found = np.full(len(values), values[first])
    found[first] = values[second]
    return found


def _named(events: Sequence[Event]) -> Iterator[Observation]:
    """Yield the members that a straggler detection of the program names."""
    for event in events:
        if event.signature not in NAMES_SLOW:
            continue
        named = STRAGGLER.findall(event.line.text)
        # The line itself stands for the first of them.
        for host in sorted({host for _, host in named})[1:]:
            ranks = [int(rank) for rank, at in named if at == host]
            yield _straggler([event], host.split(".", 1)[0], ranks)
    scores = [event for event in events if event.signature in SCORES]
    worst = _worst(scores)
    if worst is not None:
        host, rank = worst.fields.get("host", ""), worst.fields.get("rank", "")
        yield _straggler([worst], host.split(".", 1)[0] or None, [int(rank)])


def _reported(events: Sequence[Event], seat_of: SeatOf) -> Iterator[Observation]:
    """Yield the rank that report after report of Megatron names as far slower than the fastest."""
    named: dict[int, list[Event]] = defaultdict(list)
    reports = [event for event in events if event.signature in REPORTS]
    for event in reports:
        said = event.fields
        try:
            is_slow = float(said["max_rtt"]) >= SLOWER * float(said["min_rtt"])
        except (KeyError, ValueError, ZeroDivisionError):
            continue
        rank = rank_number(said.get("rank"))
        if is_slow and rank is not None:
            named[rank].append(event)
    for rank, members in sorted(named.items()):
        if len(members) >= LEAST_REPORTS and len(members) >= KEPT_UP * len(reports):
            yield _straggler(members, seat_of(rank), [rank])


def _straggler(events: Sequence[Event], host: str | None, ranks: Sequence[int]) -> Observation:
    # Only a program of the session itself prints such reports.
    own = [
        replace(one, line=replace(one.line, stream=one.line.stream or Stream.SESSION))
        for one in events
    ]
    one = finding("straggler-named", own, host=host, layer=Layer.STRAGGLER, ranks=ranks)
    return replace(one, causes=("slow-member", "gpu-throttling"))


def _worst(scores: Sequence[Event]) -> Event | None:
    """Return the one low score among high ones of a report."""
    latest: dict[str, tuple[float, Event]] = {}
    for event in scores:
        try:
            latest[event.fields.get("rank", "")] = (float(event.fields["score"]), event)
        except (KeyError, ValueError):
            continue
    if len(latest) < LEAST:
        return None
    ordered = sorted(latest.values(), key=lambda one: (one[0], one[1].order_key))
    middle = ordered[len(ordered) // 2][0]
    return ordered[0][1] if ordered[0][0] <= SCORE_OF_SLOW and middle >= SCORE_OF_OTHERS else None
