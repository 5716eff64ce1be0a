"""Process groups of a flight record: their calls, their members, what each was about."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from apps.diagnosis.input_values import MOST_CALLS, signed_number

# Operations kept of one group: where it began to wait, and how far it called ahead.
MOST_OPEN_FIRST, MOST_OPEN_LAST = 24, 4
MOST_GROUPS = 4096
MOST_MEMBERS = 500_000  # of all groups of a rank; later groups are kept without theirs
MOST_RANK = 10**7
POINT_TO_POINT = re.compile(r"(send|recv) (\d{1,7})(->|<-)(\d{1,7})$", re.ASCII)
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


def group_of(
    name: str,
    said: tuple[str, tuple[int, ...]],
    entries: Sequence[Mapping[Any, Any]],
    status: tuple[int | None, int | None] | None,
) -> ProcessGroup:
    """Return what one rank did in one group."""
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
    said = text_of(entry.get("profiling_name", ""), 120).rpartition(":")[2]
    match = POINT_TO_POINT.match(said)
    first, second = (int(match[2]), int(match[4])) if match else (None, None)
    is_send = match is not None and match[1] == "send"
    return RecordedCall(
        seq=whole_or_none(entry.get("p2p_seq_id")) or 0 if match else _sequence(entry) or 0,
        name=match[1] if match else said[:60],
        shape=_shape(entry),
        state=text_of(entry.get("state", "scheduled"), 12),
        at_ns=whole_or_none(entry.get("time_created_ns")) or 0,
        order=whole_or_none(entry.get("record_id", entry.get("id"))) or 0,
        source=first if is_send else second,
        target=second if is_send else first,
    )


def _shape(entry: Mapping[Any, Any]) -> str:
    sizes, types = entry.get("input_sizes"), entry.get("input_dtypes")
    first = sizes[0] if isinstance(sizes, list | tuple) and sizes else []
    numbers = (
        [str(whole_or_none(one)) for one in first[:8]] if isinstance(first, list | tuple) else []
    )
    kind = text_of(types[0], 24) if isinstance(types, list | tuple) and types else ""
    return f"{'x'.join(numbers)} {kind}".strip()


def _sequence(entry: Mapping[Any, Any]) -> int | None:
    return next(
        (seq for key in SEQUENCE_KEYS if (seq := whole_or_none(entry.get(key))) is not None), None
    )


def group_name(entry: Mapping[Any, Any]) -> str:
    """Return the name of the group that an entry belongs to."""
    said = entry.get("process_group", entry.get("pg_name"))
    if isinstance(said, list | tuple):
        return text_of(said[0], 120) if said else ""
    return text_of(entry.get("pg_id", "") if said is None else said, 120)


def _desc(entry: Mapping[Any, Any]) -> str:
    said = entry.get("process_group")
    return text_of(said[1], 120) if isinstance(said, list | tuple) and len(said) > 1 else ""


def members_by_group(dump: Mapping[Any, Any]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return description and global ranks of each group; ranks are printed as a text."""
    said = dump.get("pg_config")
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    left = MOST_MEMBERS
    for name, one in islice(said.items(), MOST_GROUPS) if isinstance(said, dict) else ():
        if isinstance(one, dict):
            desc = one.get("desc") or one.get("name") or ""
            ranks = _members(one.get("ranks"), left)
            left -= len(ranks)
            found[text_of(name, 120)] = (text_of(desc, 120), ranks)
    return found


def _members(ranks: Any, most: int) -> tuple[int, ...]:
    """Return the ranks of a group, none of one that has more of them."""
    if isinstance(ranks, str):
        numbers = [int(one[0]) for one in islice(NUMBERS.finditer(ranks), most + 1)]
    else:
        said = ranks[: most + 1] if isinstance(ranks, list | tuple) else ()
        numbers = [one for one in said if isinstance(one, int) and 0 <= one < MOST_RANK]
    return tuple(numbers) if len(numbers) <= most else ()


def text_of(value: Any, most: int) -> str:
    """Return a text or number as text; what holds others is none."""
    if isinstance(value, str):
        return value[:most]
    is_short = isinstance(value, float | bool) or whole_or_none(value) is not None
    return str(value)[:most] if is_short else ""


def whole_or_none(value: Any) -> int | None:
    """Return a whole number, also one that is printed; nothing else, and none out of range."""
    if isinstance(value, str):
        value = signed_number(value, most=MOST_CALLS)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and abs(value) < 2**63 else None
