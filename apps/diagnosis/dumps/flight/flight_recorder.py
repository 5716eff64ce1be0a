"""A flight-recorder dump of PyTorch → what one rank had called, and what of it never finished.

Keys: `version pg_config pg_status entries`. `pg_config` is keyed by the name of a process group,
`pg_status` by a number that differs from rank to rank; entries carry both.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from apps.diagnosis.input_values import MOST_CALLS, is_whole_number, signed_number, whole_number

# Operations kept of one group: where it began to wait, and how far it called ahead.
MOST_OPEN_FIRST, MOST_OPEN_LAST = 24, 4
MOST_GROUPS = 4096
# Four times what a recorder is usually given room for; those of several ranks count together.
MOST_ENTRIES = 80_000
MOST_MEMBERS = 500_000  # of all groups of a rank; later groups are kept without theirs
MOST_RECORDS = 4096
MOST_RANK = 10**7
POINT_TO_POINT = re.compile(r"(send|recv) (\d{1,7})(->|<-)(\d{1,7})$", re.ASCII)
RANK_IN_NAME = re.compile(r"(\d{1,7})(?:\.(?:json|pkl|pickle|bin|pt))?$", re.ASCII)
NUMBERS = re.compile(r"\d{1,7}", re.ASCII)
# Recorders before 2.0 had one sequence for everything.
SEQUENCE_KEYS = ("collective_seq_id", "seq_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call: of a collective, or from `source` to `target`, ranks inside the group."""

    seq: int
    name: str  # all_reduce, send …
    shape: str = ""  # "4096x5120 BFloat16", of the first input
    state: str = "scheduled"  # scheduled started completed
    at_ns: int = 0  # when it was called
    order: int = 0  # place among all calls of the rank
    source: int | None = None
    target: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessGroup:
    """A process group as one of its ranks saw it."""

    name: str
    desc: str = ""
    ranks: tuple[int, ...] = ()  # global, in the order of the ranks inside the group
    newest: int | None = None  # sequence of the last collective in the record
    finished: int | None = None  # … and of the last that ended
    enqueued: int | None = None  # as the status says; counts other calls, too, in mixed groups
    completed: int | None = None
    is_mixed: bool = False  # also used from rank to rank
    unfinished: tuple[RecordedCall, ...] = ()  # oldest first


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightRecord:
    """What one rank's dump says."""

    rank: int
    groups: tuple[ProcessGroup, ...] = ()
    entry_count: int = 0
    since_ns: int | None = None  # the record goes back so far; None: nothing was lost before it
    until_ns: int = 0  # the last call


def records(*, dump: Any, name: str, rank: int | None = None) -> list[FlightRecord]:
    """Return what a dump says, or several dumps in one object keyed by rank; none if it is none.

    The rank is said by the caller, by the name of the file, or by what all groups have in common.
    """
    if not isinstance(dump, dict):
        return []
    if is_dump(value=dump):
        known = rank if rank is not None else _rank_of(dump, name)
        return [] if known is None or _count([dump]) > MOST_ENTRIES else [_record(dump, known)]
    by_rank = {
        number: value
        for key, value in dump.items()
        if (number := _rank_in(key)) is not None and is_dump(value=value)
    }
    if len(by_rank) > MOST_RECORDS or _count(by_rank.values()) > MOST_ENTRIES:
        return []
    return [_record(value, number) for number, value in by_rank.items()]


def _rank_in(key: Any) -> int | None:
    return whole_number(_said(key, 9), most=9_999_999)


def _count(dumps: Iterable[Mapping[Any, Any]]) -> int:
    return sum(len(one.get("entries") or ()) for one in dumps)


def is_dump(*, value: Any) -> bool:
    """Say whether a value has the keys of one rank's dump."""
    if not isinstance(value, dict) or not isinstance(value.get("entries", []), list | tuple):
        return False
    return ("entries" in value and "version" in value) or (
        isinstance(value.get("pg_config"), dict) and isinstance(value.get("pg_status"), dict)
    )


def _record(dump: Mapping[Any, Any], rank: int) -> FlightRecord:
    entries = [one for one in dump.get("entries") or () if isinstance(one, dict)]
    config, status = _config(dump), _status(dump)
    by_group: dict[str, list[dict[Any, Any]]] = defaultdict(list)
    for entry in entries:
        by_group[_group_name(entry)].append(entry)
    numbers = _numbers(by_group, config, status)
    names = sorted({*config, *by_group})[:MOST_GROUPS]
    groups = [
        _group(name, config.get(name, ("", ())), by_group.get(name, ()), numbers.get(name))
        for name in names
    ]
    times = [at for one in entries if (at := _int(one.get("time_created_ns")))]
    return FlightRecord(
        rank=rank,
        groups=tuple(groups),
        entry_count=len(entries),
        since_ns=min(times, default=None) if _has_lost(entries) else None,
        until_ns=max(times, default=0),
    )


def _group(
    name: str,
    said: tuple[str, tuple[int, ...]],
    entries: Sequence[Mapping[Any, Any]],
    status: tuple[int | None, int | None] | None,
) -> ProcessGroup:
    desc, ranks = said
    operations = sorted(map(_operation, entries), key=lambda one: (one.order, one.seq))
    unfinished = [one for one in operations if one.state != "completed"]
    sequences = [seq for one in entries if (seq := _sequence(one)) is not None]
    ended = [one.seq for one in operations if one.state == "completed" and one.source is None]
    enqueued, completed = status or (None, None)
    if len(unfinished) > MOST_OPEN_FIRST + MOST_OPEN_LAST:
        unfinished = unfinished[:MOST_OPEN_FIRST] + unfinished[-MOST_OPEN_LAST:]
    return ProcessGroup(
        name=name,
        desc=desc or next((_desc(one) for one in entries), ""),
        ranks=ranks,
        newest=max(sequences, default=None),
        finished=max(ended, default=None),
        enqueued=enqueued,
        completed=completed,
        is_mixed=any(one.source is not None for one in operations),
        unfinished=tuple(unfinished),
    )


def _operation(entry: Mapping[Any, Any]) -> RecordedCall:
    said = _said(entry.get("profiling_name", ""), 120).rpartition(":")[2]
    match = POINT_TO_POINT.match(said)
    first, second = (int(match[2]), int(match[4])) if match else (None, None)
    is_send = match is not None and match[1] == "send"
    return RecordedCall(
        seq=_int(entry.get("p2p_seq_id")) or 0 if match else _sequence(entry) or 0,
        name=match[1] if match else said[:60],
        shape=_shape(entry),
        state=_said(entry.get("state", "scheduled"), 12),
        at_ns=_int(entry.get("time_created_ns")) or 0,
        order=_int(entry.get("record_id", entry.get("id"))) or 0,
        source=first if is_send else second,
        target=second if is_send else first,
    )


def _shape(entry: Mapping[Any, Any]) -> str:
    sizes, types = entry.get("input_sizes"), entry.get("input_dtypes")
    first = sizes[0] if isinstance(sizes, list | tuple) and sizes else []
    numbers = [str(_int(one)) for one in first[:8]] if isinstance(first, list | tuple) else []
    kind = _said(types[0], 24) if isinstance(types, list | tuple) and types else ""
    return f"{'x'.join(numbers)} {kind}".strip()


def _sequence(entry: Mapping[Any, Any]) -> int | None:
    return next((seq for key in SEQUENCE_KEYS if (seq := _int(entry.get(key))) is not None), None)


def _group_name(entry: Mapping[Any, Any]) -> str:
    said = entry.get("process_group", entry.get("pg_name"))
    if isinstance(said, list | tuple):
        return _said(said[0], 120) if said else ""
    return _said(entry.get("pg_id", "") if said is None else said, 120)


def _desc(entry: Mapping[Any, Any]) -> str:
    said = entry.get("process_group")
    return _said(said[1], 120) if isinstance(said, list | tuple) and len(said) > 1 else ""


def _config(dump: Mapping[Any, Any]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return description and global ranks of each group; ranks are printed as a text."""
    said = dump.get("pg_config")
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    left = MOST_MEMBERS
    for name, one in islice(said.items(), MOST_GROUPS) if isinstance(said, dict) else ():
        if isinstance(one, dict):
            desc = one.get("desc") or one.get("name") or ""
            ranks = _members(one.get("ranks"), left)
            left -= len(ranks)
            found[_said(name, 120)] = (_said(desc, 120), ranks)
    return found


def _members(ranks: Any, most: int) -> tuple[int, ...]:
    """Return the ranks of a group, none of one that has more of them."""
    if isinstance(ranks, str):
        numbers = [int(one[0]) for one in islice(NUMBERS.finditer(ranks), most + 1)]
    else:
        said = ranks[: most + 1] if isinstance(ranks, list | tuple) else ()
        numbers = [one for one in said if isinstance(one, int) and 0 <= one < MOST_RANK]
    return tuple(numbers) if len(numbers) <= most else ()


def _said(value: Any, most: int) -> str:
    """Return a text or number as text; what holds others is none."""
    if isinstance(value, str):
        return value[:most]
    is_short = isinstance(value, float | bool) or _int(value) is not None
    return str(value)[:most] if is_short else ""


def _status(dump: Mapping[Any, Any]) -> dict[int, tuple[int | None, int | None]]:
    """Return what was last enqueued and completed, by the rank's own number of the group."""
    said = dump.get("pg_status")
    return {
        number: (
            _int(one.get("last_enqueued_collective")),
            _int(one.get("last_completed_collective")),
        )
        for key, one in (said.items() if isinstance(said, dict) else ())
        if isinstance(one, dict) and (number := _int(key)) is not None
    }


def _numbers(
    by_group: Mapping[str, Sequence[Mapping[Any, Any]]],
    config: Mapping[str, object],
    status: Mapping[int, tuple[int | None, int | None]],
) -> dict[str, tuple[int | None, int | None]]:
    """Return the status by group name.

    Entries say which number belongs to which name. Groups without entries are found by order:
    names and numbers both grow as groups are made.
    """
    own = {
        name: number
        for name, entries in by_group.items()
        if entries and (number := _int(entries[-1].get("pg_id"))) is not None
    }
    if len(config) == len(status) and all(is_whole_number(name) for name in config):
        ordered = dict(zip(sorted(config, key=int), sorted(status), strict=True))
        if all(ordered.get(name) == number for name, number in own.items()):
            own = ordered
    return {name: status[number] for name, number in own.items() if number in status}


def _has_lost(entries: Sequence[Mapping[Any, Any]]) -> bool:
    """Say whether older entries may have been overwritten.

    A record that starts at 0 is whole; one with gaps was asked for unfinished calls only.
    """
    orders = [_int(one.get("record_id", one.get("id"))) or 0 for one in entries]
    is_gapless = all(second - first == 1 for first, second in pairwise(orders))
    return bool(orders) and orders[0] > 0 and is_gapless


def _rank_of(dump: Mapping[Any, Any], name: str) -> int | None:
    said = _int(dump.get("rank"))
    if said is not None:
        return said
    if match := RANK_IN_NAME.search(name):
        return int(match[1])
    members = [set(ranks) for _, ranks in _config(dump).values() if ranks]
    common = set.intersection(*members) if members else set()
    return common.pop() if len(common) == 1 else None


def _int(value: Any) -> int | None:
    """Return a whole number, also one that is printed; nothing else, and none out of range."""
    if isinstance(value, str):
        value = signed_number(value, most=MOST_CALLS)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and abs(value) < 2**63 else None
