"""What a watch remembers between blocks, as values and as bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.detector_state import serialization
from apps.diagnosis.model import Device

Kept = Mapping[str, Mapping[str, NDArray[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SignalRows:
    """The rows of one signal, in the order in which they were first heard of."""

    entities: tuple[Device, ...]
    details: tuple[str, ...]
    seen: NDArray[np.float64]  # when each was last heard, Unix seconds
    next: float  # where the next block begins
    step: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WatchMemory:
    """What watching remembers between blocks: rows of signals, notes of detectors."""

    rosters: Mapping[str, SignalRows] = field(default_factory=dict)
    kept: Kept = field(default_factory=dict)


def memory_to_bytes(memory: WatchMemory) -> bytes:
    """Return a memory as bytes for a `bytea` column or a file."""
    tables: dict[tuple[tuple[Device, ...], tuple[str, ...]], int] = {}
    head: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for name, roster in memory.rosters.items():
        table = tables.setdefault((roster.entities, roster.details), len(tables))
        head[name] = [table, roster.next, roster.step]
        arrays[f"seen|{name}"] = roster.seen
    rows = [
        [[*_fields(entity), detail] for entity, detail in zip(*table, strict=True)]
        for table in tables
    ]
    for subject, kept in memory.kept.items():
        for name, values in kept.items():
            arrays[f"{name}|{subject}"] = values
    return serialization.packed(head={"rosters": head, "rows": rows}, arrays=arrays)


def memory_from_bytes(body: bytes) -> WatchMemory:
    """Return the memory that was kept; an empty one where it is damaged or of another version.

    To begin anew costs a day of baselines, a wrong memory would cost trust.
    """
    try:
        head, arrays = serialization.unpacked(body)
        tables = [
            (tuple(_device(row) for row in rows), tuple(row[-1] for row in rows))
            for rows in head["rows"]
        ]
        rosters = {
            name: SignalRows(
                entities=tables[table][0],
                details=tables[table][1],
                seen=arrays.pop(f"seen|{name}"),
                next=start,
                step=step,
            )
            for name, (table, start, step) in head["rosters"].items()
        }
    except (serialization.UnreadableState, IndexError, KeyError, TypeError, ValueError):
        return WatchMemory()
    kept: dict[str, dict[str, NDArray[Any]]] = {}
    for key, values in arrays.items():
        name, _, subject = key.partition("|")
        kept.setdefault(subject, {})[name] = values
    return WatchMemory(rosters=rosters, kept=kept)


def _device(row: Sequence[Any]) -> Device:
    kind, host, rank, index, uuid, pci, name, _ = row
    return Device(kind=kind, host=host, rank=rank, index=index, uuid=uuid, pci=pci, name=name)


def _fields(entity: Device) -> tuple[Any, ...]:
    return (
        entity.kind,
        entity.host,
        entity.rank,
        entity.index,
        entity.uuid,
        entity.pci,
        entity.name,
    )
