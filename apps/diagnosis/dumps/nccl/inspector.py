"""Output of NCCL Inspector, JSON lines or metrics → who comes last to the same collectives.

A collective lasts on each rank from when that rank enters: who comes last is in it the shortest,
and the others wait. When all are slow alike it is the path, and nobody is named.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Any

import orjson

from apps.diagnosis.input_values import whole_number

MOST_CALLS = 32  # of a member, the latest
MOST_LETTERS = 16_384  # of a line; those of the Inspector have some hundred
MOST_TIMES = 4096
JSON_MARKS = (b'"coll_perf"', b'"p2p_perf"')
METRIC = b"nccl_collective_exec_time_microseconds{"
SAMPLE = re.compile(
    r"nccl_collective_exec_time_microseconds\{([^}]{10,600})\} ([\d.eE+]{1,24})", re.ASCII
)
LABEL = re.compile(r'(\w{1,40})="([^"]{0,120})"', re.ASCII)
# A third of what others need, time after time, is no jitter.
SHORT = 0.5
LEAST_MEMBERS, LEAST_CALLS, MOST_OF = 3, 5, 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveTimes:
    """How long the latest collectives of a communicator lasted on one member."""

    group: str
    size: int
    member: str  # "rank 3", or node and GPU
    rank: int | None = None  # inside the communicator
    host: str = ""
    calls: tuple[tuple[str, float], ...] = ()  # which one, microseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """A member that came last to nearly all collectives of its communicator."""

    times: CollectiveTimes
    is_session: bool  # its communicator is the largest, so that its rank is the session's
    count: int
    of: int


def looks_like_times(*, head: bytes) -> bool:
    """Say whether a file that begins so is output of the Inspector."""
    is_json = head.lstrip()[:1] == b"{" and any(mark in head for mark in JSON_MARKS)
    return is_json or (METRIC in head and head.lstrip()[:1] in {b"#", b"n"})


def times_of(*, text: str) -> list[CollectiveTimes]:
    """Return the times that a file tells, a value for each member of each communicator."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    about: dict[tuple[str, str], CollectiveTimes] = {}
    for line in text.splitlines():
        if len(line) > MOST_LETTERS:
            continue
        one = _of_json(line) if line.startswith("{") else _of_metric(line)
        if one is None or (len(about) >= MOST_TIMES and (one.group, one.member) not in about):
            continue
        about[one.group, one.member] = one
        calls = found[one.group, one.member]
        calls.update(one.calls)
        if len(calls) > 2 * MOST_CALLS:
            found[one.group, one.member] = dict(islice(calls.items(), MOST_CALLS, None))
    return [
        CollectiveTimes(
            group=one.group,
            size=one.size,
            member=one.member,
            rank=one.rank,
            host=one.host,
            calls=tuple(found[key].items())[-MOST_CALLS:],
        )
        for key, one in sorted(about.items())
    ]


def latecomers(*, times: Iterable[CollectiveTimes]) -> list[Late]:
    """Return the members that came last time after time. Independent of order and doubles."""
    groups: dict[str, dict[str, CollectiveTimes]] = defaultdict(dict)
    for one in sorted(times, key=lambda one: (one.group, one.member, one.calls)):
        groups[one.group][one.member] = one
    largest = max((t.size for members in groups.values() for t in members.values()), default=0)
    whole = [name for name, members in groups.items() if _size(members) == largest]
    return [
        Late(times=members[name], is_session=whole == [group], count=count, of=of)
        for group, members in sorted(groups.items())
        for name, count, of in _last(list(members.values()))
    ]


def _size(members: Mapping[str, CollectiveTimes]) -> int:
    return max(one.size for one in members.values())


def _last(members: Sequence[CollectiveTimes]) -> Iterator[tuple[str, int, int]]:
    by_call: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for one in members:
        for call, lasted in one.calls:
            by_call[call].append((lasted, one.member))
    least = max(LEAST_MEMBERS, 0.75 * len(members))
    asked = [calls for calls in by_call.values() if len(calls) >= least]
    if len(asked) < LEAST_CALLS:
        return
    shortest: dict[str, int] = defaultdict(int)
    for calls in asked:
        lasted, member = min(calls)
        if lasted <= SHORT * median(each for each, _ in calls):
            shortest[member] += 1
    for member, count in sorted(shortest.items()):
        if count >= MOST_OF * len(asked):
            yield member, count, len(asked)


def _of_json(line: str) -> CollectiveTimes | None:
    try:
        said = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    said = said if isinstance(said, dict) else {}
    header, perf, meta = (_dict(said.get(n)) for n in ("header", "coll_perf", "metadata"))
    rank, lasted = header.get("rank"), perf.get("coll_exec_time_us")
    if not isinstance(rank, int) or not isinstance(lasted, int | float) or not 0 < lasted < 1e12:
        return None
    size = header.get("n_ranks")
    return CollectiveTimes(
        group=str(header.get("id", ""))[:80],
        size=size if isinstance(size, int) and 0 < size < 2**31 else 0,
        member=f"rank {rank % 10**9}",
        rank=rank % 10**9,
        host=str(meta.get("hostname", ""))[:253],
        calls=((f"{str(perf.get('coll'))[:40]} {str(perf.get('coll_sn'))[:20]}", float(lasted)),),
    )


def _of_metric(line: str) -> CollectiveTimes | None:
    sample = SAMPLE.match(line)
    if sample is None:
        return None
    said = dict(LABEL.findall(sample[1]))
    try:
        lasted = float(sample[2])
    except ValueError:
        return None
    size = said.get("nranks", "")
    return CollectiveTimes(
        group=f"{said.get('slurm_job_id', '')} {said.get('comm_name', '')}"[:80],
        size=whole_number(size[:9]) or 0,
        member=f"{said.get('node', '')} {said.get('gpu', '')}"[:120],
        host=said.get("node", ""),
        calls=((f"{said.get('collective', '')} {said.get('message_size', '')}"[:80], lasted),),
    )


def _dict(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}
