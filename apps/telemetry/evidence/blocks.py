"""Evidence blocks: arrays ↔ zstd-compressed bytes. Never: object dtypes, Parquet."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np
import zstandard
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.model import Device, Frame, Semantics

DTYPE: Final = "<f4"
NAME_LENGTH: Final = 80
MAX_BLOCK_BYTES: Final = 8 * 2**20
BAND: Final = (("p5", 0.05), ("p25", 0.25), ("p50", 0.5), ("p75", 0.75), ("p95", 0.95))
PEERS: Final = Device(kind="peers")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """Rows of one entity and family on one grid, ready to be kept."""

    entity: Device
    family: str
    signals: tuple[str, ...]
    units: tuple[str, ...]
    start: float
    step: float
    shape: tuple[int, int]
    body: bytes

    @property
    def entity_key(self) -> str:
        """A stable name of the entity."""
        return entity_key(self.entity)

    @property
    def entity_json(self) -> dict[str, Any]:
        """The entity without what is not known of it."""
        return {key: value for key, value in asdict(self.entity).items() if value is not None}


def entity_key(device: Device) -> str:
    """Return host, kind, index, UUID and name as one text."""
    index = "" if device.index is None else str(device.index)
    parts = (device.kind, device.host or "", index, device.uuid or "", device.name or "")
    return "|".join(parts)[:300]


def blocks_of(*, frames: Sequence[Frame]) -> Iterator[Block]:
    """Yield the blocks of all entities, in full resolution."""
    rows = [
        (entity_key(entity), frame.signal.family, frame, row)
        for frame in frames
        for row, entity in enumerate(frame.entities)
    ]
    rows.sort(key=lambda each: (*each[:2], each[2].signal.name, _detail(each[2], each[3])))
    for _, members in groupby(rows, key=lambda each: each[:2]):
        pairs = [(frame, row) for *_, frame, row in members]
        frame, row = pairs[0]
        yield _block(
            entity=frame.entities[row],
            frame=frame,
            names=[_name(each, at) for each, at in pairs],
            units=[shown_unit(each) for each, _ in pairs],
            values=np.stack([shown_values(each)[at] for each, at in pairs]),
        )


def band_of(*, frame: Frame, hosts: frozenset[str]) -> Block | None:
    """Return the quantiles of one signal over the entities on these hosts, or None."""
    rows = [row for row, entity in enumerate(frame.entities) if entity.host in hosts]
    if len(rows) < 3:
        return None
    quantiles = stats.quantiles(
        shown_values(frame)[rows], tuple(probability for _, probability in BAND)
    )
    return _block(
        entity=PEERS,
        frame=frame,
        names=[f"{frame.signal.name}:{name}"[:NAME_LENGTH] for name, _ in BAND],
        units=[shown_unit(frame)] * len(BAND),
        values=quantiles,
    )


def merged(blocks: Sequence[Block]) -> list[Block]:
    """Return one block per entity and family; rows of the same grid are put together."""
    done = []
    ordered = sorted(blocks, key=lambda each: (each.entity_key, each.family))
    for _, group in groupby(ordered, key=lambda each: (each.entity_key, each.family)):
        members = list(group)
        first = members[0]
        values = np.concatenate([unpacked(body=m.body, shape=m.shape) for m in members])
        done.append(
            Block(
                entity=first.entity,
                family=first.family,
                signals=tuple(name for m in members for name in m.signals),
                units=tuple(unit for m in members for unit in m.units),
                start=first.start,
                step=first.step,
                shape=(len(values), first.shape[1]),
                body=packed(values),
            )
        )
    return done


def packed(values: NDArray[np.floating[Any]]) -> bytes:
    """Return little-endian float32, compressed."""
    return zstandard.compress(np.ascontiguousarray(values, dtype=DTYPE).tobytes(), 3)


def unpacked(*, body: bytes | memoryview, shape: Sequence[int]) -> NDArray[np.float32]:
    """Return the array of a block; raise ValueError when bytes and shape don't agree."""
    raw = zstandard.ZstdDecompressor().decompress(bytes(body), max_output_size=MAX_BLOCK_BYTES)
    return np.frombuffer(raw, dtype=DTYPE).reshape(tuple(shape))


def shown_values(frame: Frame) -> NDArray[np.float64]:
    """Return what a chart shows: event counters as they stand, other counters per second."""
    if _is_rate(frame):
        return stats.rates(stats.without_blanks(frame.values), frame.step)
    return stats.without_blanks(frame.values)


def shown_unit(frame: Frame) -> str:
    """Return the unit of what a chart shows."""
    unit = frame.signal.unit
    if not _is_rate(frame):
        return unit
    return "ratio" if unit == "seconds" else f"{unit}/s"


def _is_rate(frame: Frame) -> bool:
    is_event = "increase" in frame.signal.watch
    return frame.signal.semantics is Semantics.COUNTER and not is_event


def _block(
    *,
    entity: Device,
    frame: Frame,
    names: Sequence[str],
    units: Sequence[str],
    values: NDArray[np.float64],
) -> Block:
    return Block(
        entity=entity,
        family=frame.signal.family,
        signals=tuple(names),
        units=tuple(units),
        start=frame.start,
        step=frame.step,
        shape=(values.shape[0], values.shape[1]),
        body=packed(values),
    )


def _detail(frame: Frame, row: int) -> str:
    return frame.details[row] if frame.details else ""


def _name(frame: Frame, row: int) -> str:
    detail = _detail(frame, row)
    return (f"{frame.signal.name}[{detail}]" if detail else frame.signal.name)[:NAME_LENGTH]
