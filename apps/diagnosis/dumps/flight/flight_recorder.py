"""A flight-recorder dump of PyTorch → what one rank had called, and what of it never finished.

Keys: `version pg_config pg_status entries`. `pg_config` is keyed by the name of a process group,
`pg_status` by a number that differs from rank to rank; entries carry both.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from apps.diagnosis.dumps.flight.process_groups import (
    MOST_GROUPS,
    ProcessGroup,
    group_name,
    group_of,
    members_by_group,
    text_of,
    whole_or_none,
)
from apps.diagnosis.input_values import is_whole_number, whole_number

# Four times what a recorder is usually given room for; those of several ranks count together.
MOST_ENTRIES = 80_000
MOST_RECORDS = 4096
RANK_IN_NAME = re.compile(r"(\d{1,7})(?:\.(?:json|pkl|pickle|bin|pt))?$", re.ASCII)


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
    return whole_number(text_of(key, 9), most=9_999_999)


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
    config, status = members_by_group(dump), _status(dump)
    by_group: dict[str, list[dict[Any, Any]]] = defaultdict(list)
    for entry in entries:
        by_group[group_name(entry)].append(entry)
    numbers = _numbers(by_group, config, status)
    names = sorted({*config, *by_group})[:MOST_GROUPS]
    groups = [
        group_of(name, config.get(name, ("", ())), by_group.get(name, ()), numbers.get(name))
        for name in names
    ]
    times = [at for one in entries if (at := whole_or_none(one.get("time_created_ns")))]
    return FlightRecord(
        rank=rank,
        groups=tuple(groups),
        entry_count=len(entries),
        since_ns=min(times, default=None) if _has_lost(entries) else None,
        until_ns=max(times, default=0),
    )


def _status(dump: Mapping[Any, Any]) -> dict[int, tuple[int | None, int | None]]:
    """Return what was last enqueued and completed, by the rank's own number of the group."""
    said = dump.get("pg_status")
    return {
        number: (
            whole_or_none(one.get("last_enqueued_collective")),
            whole_or_none(one.get("last_completed_collective")),
        )
        for key, one in (said.items() if isinstance(said, dict) else ())
        if isinstance(one, dict) and (number := whole_or_none(key)) is not None
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
        if entries and (number := whole_or_none(entries[-1].get("pg_id"))) is not None
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
    orders = [whole_or_none(one.get("record_id", one.get("id"))) or 0 for one in entries]
    is_gapless = all(second - first == 1 for first, second in pairwise(orders))
    return bool(orders) and orders[0] > 0 and is_gapless


def _rank_of(dump: Mapping[Any, Any], name: str) -> int | None:
    said = whole_or_none(dump.get("rank"))
    if said is not None:
        return said
    if match := RANK_IN_NAME.search(name):
        return int(match[1])
    members = [set(ranks) for _, ranks in members_by_group(dump).values() if ranks]
    common = set.intersection(*members) if members else set()
    return common.pop() if len(common) == 1 else None
