"""Dumps as PyTorch writes them, of invented sessions."""

import json
import pickle  # noqa: TID251  writes what the reader must read; nothing here loads one
from collections.abc import Mapping, Sequence
from typing import Any

START_NS = 1_790_000_000_000_000_000
GROUPS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "0": ("default_pg", (0, 1, 2, 3)),
    "1": ("tensor", (0, 1)),
    "2": ("tensor", (2, 3)),
    "3": ("data", (0, 2)),
    "4": ("data", (1, 3)),
}


def call(
    group: str,
    seq: int,
    name: str = "all_reduce",
    *,
    order: int = 0,
    state: str = "scheduled",
    sizes: Sequence[int] = (64,),
    kind: str = "Float",
    groups: Mapping[str, tuple[str, tuple[int, ...]]] = GROUPS,
) -> dict[str, Any]:
    """Return an entry; `send 0->1` and `recv 1<-0` name ranks inside the group."""
    is_pair = name.startswith(("send", "recv"))
    return {
        "record_id": order,
        "pg_id": int(group),
        "process_group": [group, groups[group][0]],
        "collective_seq_id": 0 if is_pair else seq,
        "p2p_seq_id": seq if is_pair else 0,
        "op_id": seq,
        "profiling_name": f"nccl:{name}",
        "time_created_ns": START_NS + order * 1_000_000,
        "input_sizes": [list(sizes)],
        "input_dtypes": [kind],
        "output_sizes": [list(sizes)],
        "output_dtypes": [kind],
        "state": state,
        "time_discovered_started_ns": None,
        "time_discovered_completed_ns": None,
        "retired": state == "completed",
        "timeout_ms": 600000,
        "is_p2p": is_pair,
    }


def dump(
    rank: int,
    *entries: Mapping[str, Any],
    groups: Mapping[str, tuple[str, tuple[int, ...]]] = GROUPS,
    status: Mapping[str, tuple[int, int]] | None = None,
) -> dict[str, Any]:
    """Return the dump of a rank, which belongs to the groups that list it."""
    own = {name: said for name, said in groups.items() if rank in said[1]}
    numbers = {name: status[name] for name in own if name in status} if status else {}
    return {
        "version": "2.9",
        "nccl_version": "2.27.3",
        "pg_config": {
            name: {"name": name, "desc": desc, "ranks": str(list(ranks))}
            for name, (desc, ranks) in own.items()
        },
        "pg_status": {
            name: {
                "last_enqueued_collective": enqueued,
                "last_started_collective": -1,
                "last_completed_collective": completed,
            }
            for name, (enqueued, completed) in numbers.items()
        },
        "entries": [dict(one) for one in entries],
    }


def pickled(value: Any, *, protocol: int = 2) -> bytes:
    """Return a value as the recorder writes it by default."""
    return pickle.dumps(value, protocol=protocol)


def as_json(value: Any) -> bytes:
    """Return a value as the recorder writes it when asked for JSON."""
    return json.dumps(value).encode()
