"""Dumps ↔ lines of text: one line a rank (or a few), so that a dump travels as a log does.

`<time> [rank3]: faultline.flight-recorder unfinished {…}`, at the time of the rank's last call.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from apps.diagnosis.dumps import flight_recorder, ranks, ras
from apps.diagnosis.dumps.flight_recorder import FlightRecord, Group, Operation
from apps.diagnosis.dumps.pickled import PROTOCOL, RefusedPickle, plain
from apps.diagnosis.dumps.ras import Member, RasReport

MOST_BYTES = 32 * 2**20
MOST_CONTAINERS = 1_000_000
MOST_COMMAS = 8_000_000
# What must stand in the first bytes of a text that is worth parsing as a whole.
HEAD_BYTES = 64 * 2**10
MARKS = (b'"pg_config"', b'"pg_status"', b'"profiling_name"', b'"collective_seq_id"')
NEWEST_PROTOCOL = 5
RECORD = "faultline.flight-recorder "
REPORT = "faultline.nccl-ras "
REFUSED = "faultline.dump-refused "
# The heading of ranks that did not answer in a report in words.
INCOMPLETE = f"#0-0 ({'0' * 16}) INCOMPLETE"
# Below what a line of a log may have, with its time.
LINE_LIMIT = 7600
RANKS_LIMIT = 3000
LATEST_NS = 4_102_444_800_000_000_000  # 2100


def looks_like_dump(*, head: bytes) -> bool:
    """Say whether a file that begins so is to be read as a whole."""
    if head[:1] == PROTOCOL:
        return len(head) > 1 and head[1] <= NEWEST_PROTOCOL
    if ras.looks_like_report(head=head[:HEAD_BYTES]):
        return True
    return head.lstrip()[:1] == b"{" and any(mark in head[:HEAD_BYTES] for mark in MARKS)


def as_text(*, data: bytes, name: str, rank: int | None = None) -> str | None:
    """Return the lines that stand for a dump, None for a text that is none.

    A pickle that is no dump gives a line that says why it was refused. Never raises.
    """
    if data[:1] == PROTOCOL:
        try:
            found = flight_recorder.records(dump=plain(data=data), name=name, rank=rank)
        except RefusedPickle as error:
            return _refused(name, str(error))
        if not found:
            return _refused(name, "a pickle, but no flight-recorder dump of a known rank")
    elif ras.looks_like_report(head=data[:HEAD_BYTES]):
        return _report_text(data)
    else:
        found = flight_recorder.records(dump=_json(data), name=name, rank=rank)
    lines = [line for one in found for line in record_lines(record=one)]
    return "\n".join(lines) or None


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
    return [start + _compact(head | {"groups": part}) for part in _parts(record)]


def records_of(*, texts: Iterable[str]) -> list[FlightRecord]:
    """Return the records that lines stand for, those of several lines put together."""
    parts: dict[tuple[int, int, int, int | None], list[FlightRecord]] = defaultdict(list)
    for text in texts:
        one = _record(text)
        if one is not None:
            parts[one.rank, one.until_ns, one.entry_count, one.since_ns].append(one)
    return [_joined(group) for _, group in sorted(parts.items(), key=lambda one: repr(one[0]))]


def report_line(*, report: RasReport) -> str:
    """Return a report of NCCL's health service as a line."""
    said = {"size": report.size, "session": int(report.is_session)}
    named = {"absent": report.absent, "behind": report.behind}
    rows = {
        name: [[one.rank, one.host, one.pid, one.gpu] for one in members]
        for name, members in named.items()
    }
    return REPORT + _compact(said | rows)


def reports_of(*, texts: Iterable[str]) -> list[RasReport]:
    """Return the reports that lines stand for."""
    return [one for text in texts if (one := _report(text)) is not None]


def _report_text(data: bytes) -> str | None:
    """Keep a report in words as it is, and put its line behind; of JSON only the line remains."""
    is_json = data.lstrip()[:1] == b"{"
    words = "" if is_json else data.decode("utf-8", "replace").rstrip("\n") + "\n"
    report = ras.of_json(value=_json(data)) if is_json else ras.of_text(text=words)
    if report is None:
        return None
    places = [INCOMPLETE, *map(_place, report.absent)] if is_json and report.absent else []
    return words + "\n".join([*places, report_line(report=report)])


def _place(one: Member) -> str:
    """Say of a rank that did not answer what a report in words says."""
    return f"  Rank {one.rank} -- GPU {one.gpu} managed by process {one.pid} on node {one.host}"


def _report(text: str) -> RasReport | None:
    _, mark, rest = text.partition(REPORT)
    try:
        said = json.loads(rest) if mark else None
        if not isinstance(said, dict):
            return None
        return RasReport(
            size=_number(said["size"]),
            is_session=bool(said["session"]),
            absent=tuple(_named(row) for row in said["absent"]),
            behind=tuple(_named(row) for row in said["behind"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _named(row: list[Any]) -> Member:
    rank, host, pid, gpu = row
    return Member(rank=_number(rank), host=str(host), pid=pid, gpu=gpu)


def _joined(parts: list[FlightRecord]) -> FlightRecord:
    groups = {(group.name, group.ranks): group for one in parts for group in one.groups}
    return replace(parts[0], groups=tuple(groups[key] for key in sorted(groups)))


def _parts(record: FlightRecord) -> Iterator[list[Any]]:
    part: list[Any] = []
    size = 0
    for group in record.groups:
        row = _group_row(group, record.until_ns)
        length = len(_compact(row))
        if part and size + length > LINE_LIMIT:
            yield part
            part, size = [], 0
        part.append(row)
        size += length + 1
    yield part


def _group_row(group: Group, until_ns: int) -> list[Any]:
    members = ranks.packed(ranks=group.ranks)
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


def _operation_row(one: Operation, until_ns: int) -> list[Any]:
    ends = [] if one.source is None else [one.source, one.target]
    return [one.seq, one.name, one.shape, one.state[:2], until_ns - one.at_ns, one.order, *ends]


STATES = {"sc": "scheduled", "st": "started", "co": "completed"}


def _record(text: str) -> FlightRecord | None:
    """Return what one line says; None for a line that somebody else wrote."""
    _, mark, rest = text.partition(RECORD)
    try:
        said = json.loads(rest[rest.index("{") :]) if mark else None
        if not isinstance(said, dict):
            return None
        return FlightRecord(
            rank=_number(said["rank"]),
            entry_count=_number(said["entries"]),
            since_ns=None if said["since"] is None else _number(said["since"]),
            until_ns=_number(said["until"]),
            groups=tuple(_group(row, _number(said["until"])) for row in said["groups"]),
        )
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None


def _group(row: list[Any], until_ns: int) -> Group:
    name, desc, members, newest, finished, enqueued, completed, is_mixed, rows = row
    numbers = [None if one is None else _number(one) for one in (newest, finished)]
    status = [None if one is None else _number(one) for one in (enqueued, completed)]
    return Group(
        name=str(name),
        desc=str(desc),
        ranks=_members(str(members)),
        newest=numbers[0],
        finished=numbers[1],
        enqueued=status[0],
        completed=status[1],
        is_mixed=bool(is_mixed),
        unfinished=tuple(_operation(one, until_ns) for one in rows),
    )


def _members(text: str) -> tuple[int, ...]:
    """Return members in their order; a packed text holds ascending ones only."""
    if "-" in text or not text:
        return ranks.unpacked(text=text)
    return tuple(_number(int(one)) for one in text.split(","))


def _operation(row: list[Any], until_ns: int) -> Operation:
    seq, name, shape, state, ago_ns, order, *ends = row
    source, target = map(_number, ends) if ends else (None, None)
    return Operation(
        seq=_number(seq),
        name=str(name),
        shape=str(shape),
        state=STATES.get(str(state), "scheduled"),
        at_ns=until_ns - _number(ago_ns),
        order=_number(order),
        source=source,
        target=target,
    )


def _number(value: Any) -> int:
    if not isinstance(value, int) or abs(value) >= 2**63:
        raise ValueError("not a number")
    return value


def _stamp(at_ns: int) -> str:
    if not 0 < at_ns < LATEST_NS:
        return ""
    at = datetime.fromtimestamp(at_ns // 1_000_000_000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at_ns // 1000 % 1_000_000:06d}Z "


def _refused(name: str, why: str) -> str:
    return REFUSED + _compact({"file": name[-120:], "why": why})


def _json(data: bytes) -> Any:
    """Return what a JSON text holds; None where it is none, or too large."""
    containers = data.count(b"[") + data.count(b"{")
    is_large = len(data) > MOST_BYTES or data.count(b",") > MOST_COMMAS
    if is_large or containers > MOST_CONTAINERS:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
