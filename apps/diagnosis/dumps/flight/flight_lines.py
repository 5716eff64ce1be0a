"""A rank's flight record ↔ lines of text, one where it is not very large.

`<time> [rank3]: faultline.flight-recorder unfinished {…}`, at the time of the rank's last call.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from apps.diagnosis.dumps import rank_sets
from apps.diagnosis.dumps.flight.flight_recorder import FlightRecord
from apps.diagnosis.dumps.flight.process_groups import ProcessGroup, RecordedCall
from apps.diagnosis.dumps.line_encoding import BAD, compact, number, said

RECORD = "faultline.flight-recorder "
# Below what a line of a log may have, with its time.
LINE_LIMIT = 7600
RANKS_LIMIT = 3000
LATEST_NS = 4_102_444_800_000_000_000  # 2100


def record_lines(*, record: FlightRecord) -> list[str]:
    """Return a rank's record as lines."""
    stamp = _stamp(record.until_ns)
    is_waiting = any(group.unfinished for group in record.groups)
    start = f"{stamp}[rank{record.rank}]: {RECORD}{'unfinished' if is_waiting else 'idle'} "
    head = {
        "rank": record.rank,
        "entries": record.entry_count,
        "since": record.since_ns,
        "until": record.until_ns,
    }
    return [start + compact(value=head | {"groups": part}) for part in _parts(record)]


def records_of(*, texts: Iterable[str]) -> list[FlightRecord]:
    """Return the records that lines stand for, those of several lines put together."""
    parts: dict[tuple[int, int, int, int | None], list[FlightRecord]] = defaultdict(list)
    for text in texts:
        one = _record(text)
        if one is not None:
            parts[one.rank, one.until_ns, one.entry_count, one.since_ns].append(one)
    return [_joined(group) for _, group in sorted(parts.items(), key=lambda one: repr(one[0]))]


def _joined(parts: list[FlightRecord]) -> FlightRecord:
    groups = {(group.name, group.ranks): group for one in parts for group in one.groups}
    return replace(parts[0], groups=tuple(groups[key] for key in sorted(groups)))


def _parts(record: FlightRecord) -> Iterator[list[Any]]:
    part: list[Any] = []
    size = 0
    for group in record.groups:
        row = _group_row(group, record.until_ns)
        length = len(compact(value=row))
        if part and size + length > LINE_LIMIT:
            yield part
            part, size = [], 0
        part.append(row)
        size += length + 1
    yield part


def _group_row(group: ProcessGroup, until_ns: int) -> list[Any]:
    members = rank_sets.packed(ranks=group.ranks)
    is_ordered = tuple(sorted(set(group.ranks))) == group.ranks
    text = members if is_ordered else ",".join(map(str, group.ranks))
    return [
        group.name,
        group.desc,
        text if len(text) <= RANKS_LIMIT else "",
        group.newest,
        group.finished,
        group.enqueued,
        group.completed,
        int(group.is_mixed),
        [_operation_row(one, until_ns) for one in group.unfinished],
    ]


def _operation_row(one: RecordedCall, until_ns: int) -> list[Any]:
    ends = [] if one.source is None else [one.source, one.target]
    return [one.seq, one.name, one.shape, one.state[:2], until_ns - one.at_ns, one.order, *ends]


STATES = {"sc": "scheduled", "st": "started", "co": "completed"}


def _record(text: str) -> FlightRecord | None:
    """Return what one line says; None for a line that somebody else wrote."""
    found = said(text=text, mark=RECORD)
    if found is None:
        return None
    try:
        return FlightRecord(
            rank=number(value=found["rank"]),
            entry_count=number(value=found["entries"]),
            since_ns=_maybe(found["since"]),
            until_ns=number(value=found["until"]),
            groups=tuple(_group(row, number(value=found["until"])) for row in found["groups"]),
        )
    except BAD:
        return None


def _group(row: list[Any], until_ns: int) -> ProcessGroup:
    name, desc, members, newest, finished, enqueued, completed, is_mixed, rows = row
    return ProcessGroup(
        name=str(name),
        desc=str(desc),
        ranks=_members(str(members)),
        newest=_maybe(newest),
        finished=_maybe(finished),
        enqueued=_maybe(enqueued),
        completed=_maybe(completed),
        is_mixed=bool(is_mixed),
        unfinished=tuple(_operation(one, until_ns) for one in rows),
    )


@lru_cache(maxsize=4096)  # all ranks of a group name the same members
def _members(text: str) -> tuple[int, ...]:
    """Return members in their order; a packed text holds ascending ones only."""
    if "-" in text or not text:
        return rank_sets.unpacked(text=text)
    return tuple(number(value=int(one)) for one in text.split(","))


def _operation(row: list[Any], until_ns: int) -> RecordedCall:
    seq, name, shape, state, ago_ns, order, *ends = row
    source, target = map(_maybe, ends) if ends else (None, None)
    return RecordedCall(
        seq=number(value=seq),
        name=str(name),
        shape=str(shape),
        state=STATES.get(str(state), "scheduled"),
        at_ns=until_ns - number(value=ago_ns),
        order=number(value=order),
        source=source,
        target=target,
    )


def _maybe(value: Any) -> int | None:
    return None if value is None else number(value=value)


def _stamp(at_ns: int) -> str:
    if not 0 < at_ns < LATEST_NS:
        return ""
    at = datetime.fromtimestamp(at_ns // 1_000_000_000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at_ns // 1000 % 1_000_000:06d}Z "
