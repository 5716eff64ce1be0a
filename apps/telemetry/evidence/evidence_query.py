"""What of a source belongs into an evidence window, within the limits of time and size.

The core signals of the suspects and of some peers first, for the band; then everything that is
known of the suspects. Hosts are asked for as the source itself spells them.
"""

import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.metrics.frames import unified
from apps.diagnosis.detection.metrics.identity import resolver_of
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame, ReadSchedule, Signal
from apps.telemetry.evidence.blocks import Block, band_of, blocks_of, merged
from apps.telemetry.evidence.capture_limits import HOSTLESS, CaptureOrder
from apps.telemetry.evidence.host_spelling import Pair, Spelling, host_spelling_of
from apps.telemetry.metrics.pulls import signal_reading
from apps.telemetry.metrics.series_index import SeriesRoll, WantedSeries
from apps.telemetry.sources.bulk_reading import Client

MAX_SUSPECTS: Final = 3
MAX_CORE: Final = 120
MOST_NAMES: Final = 5  # of what had to be left out
# A band of so many hosts is as good as one of two thousand.
MAX_PEERS: Final = 64
CLIENT_SIGNAL: Final = "nfs.queue"  # who waits most for a shared file system


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EvidenceReading:
    """What was read: blocks, what had to be left out, and how long the source was asked."""

    blocks: tuple[Block, ...]
    remark: str
    seconds: float


def read_window(*, client: Client, order: CaptureOrder) -> EvidenceReading:
    """Return the blocks that the limits of time and size allow, and what had to be left out."""
    began = time.monotonic()
    names = client.metric_names(starts_at=order.grid.start, ends_at=order.grid.end)
    told = signal_reading.with_told_hosts(
        client=client, names=order.names, metric_names=names, at=order.grid.end
    )
    order = replace(order, names=told, peers=some(order.peers, MAX_PEERS))
    wanted = signal_reading.served(
        signals=catalog().read(ReadSchedule.ALWAYS, ReadSchedule.AROUND), names=names
    )
    core = [pair for pair in wanted if pair[0].is_core][:MAX_CORE]
    spelling = host_spelling_of(client=client, order=order, wanted=wanted)

    def read(pairs: Sequence[Pair], hosts: Collection[str]) -> signal_reading.SignalReading:
        left = max(0.0, began + order.seconds - time.monotonic())
        return _read(client=client, order=order, asked=_asked(pairs, hosts, spelling), seconds=left)

    first = read(core, order.suspects | order.peers | order.linked)
    order = replace(order, suspects=order.suspects or _most_telling(order, first.frames))
    rest = [pair for pair in wanted if pair not in core and _concerns(pair[0], order)]
    second = read(rest, order.suspects)
    frames = _under_all_names(order, (*first.frames, *second.frames))
    bands = [band_of(frame=each, hosts=order.peers) for each in frames if each.signal.is_core]
    blocks = [
        *merged([each for each in bands if each]),
        *blocks_of(frames=[_only(frame, order) for frame in frames]),
    ]
    kept, dropped = within(blocks, order.room)
    left_out = sorted({*first.left_out, *first.refused, *second.left_out, *second.refused})
    return EvidenceReading(
        blocks=tuple(kept), remark=_remark(left_out, dropped), seconds=time.monotonic() - began
    )


def some(hosts: Collection[str], most: int) -> frozenset[str]:
    """Return at most so many hosts, spread evenly over their names."""
    ordered = sorted(hosts)
    if len(ordered) <= most:
        return frozenset(ordered)
    places = np.linspace(0, len(ordered) - 1, most).astype(int)
    return frozenset(ordered[place] for place in places.tolist())


def _remark(left_out: Sequence[str], dropped: int) -> str:
    """Return what had to be left out, by the first names."""
    parts = []
    if left_out:
        named = ", ".join(left_out[:MOST_NAMES])
        more = len(left_out) - MOST_NAMES
        named += f" and {more} more" if more > 0 else ""
        parts.append(f"{len(left_out)} signals could not be read in time: {named}")
    if dropped:
        parts.append(f"{dropped} blocks were beyond the limit of size")
    return "; ".join(parts)


def _concerns(signal: Signal, order: CaptureOrder) -> bool:
    return bool(order.shared) if signal.entity in HOSTLESS else bool(order.suspects)


def _read(
    *, client: Client, order: CaptureOrder, asked: Sequence[WantedSeries], seconds: float
) -> signal_reading.SignalReading:
    if not asked:
        return signal_reading.SignalReading(frames=())
    roll = SeriesRoll(wanted=asked, label_map=order.names.label_map, aliases=order.names.aliases)
    limits = signal_reading.ReadingLimits(seconds=seconds)
    return signal_reading.read_rolled(client=client, roll=roll, grid=order.grid, limits=limits)


def _asked(pairs: Iterable[Pair], hosts: Collection[str], spelling: Spelling) -> list[WantedSeries]:
    """Return the signals with a matcher for the hosts, as each exporter's series spell them."""
    made = []
    for signal, query in pairs:
        if signal.entity in HOSTLESS:
            made.append(WantedSeries(signal=signal, query=query))
            continue
        label, known = spelling.get(signal.exporter, ("", {}))
        values = sorted(value for value, host in known.items() if host in hosts)
        if values:
            match = {**query.match, label: "~" + "|".join(map(re.escape, values))}
            made.append(WantedSeries(signal=signal, query=replace(query, match=match)))
    return made


def _under_all_names(order: CaptureOrder, frames: Sequence[Frame]) -> tuple[Frame, ...]:
    told = {entity for frame in frames for entity in frame.entities}
    hosts = frozenset(part.device.host for part in order.parts if part.device.host)
    return unified(
        frames=frames,
        resolver=resolver_of(told=sorted(told, key=str), known=order.parts, hosts=hosts),
    )


def _most_telling(order: CaptureOrder, frames: Sequence[Frame]) -> frozenset[str]:
    """Return the hosts that tell most of a suspected shared part: who waited, whose links erred."""
    score: defaultdict[str, float] = defaultdict(float)
    for frame in frames:
        if order.shared and frame.signal.name == CLIENT_SIGNAL:
            _add(score, frame, lambda each: is_part_of(each, order.shared))
        elif order.linked and frame.signal.entity == "nic" and "increase" in frame.signal.watch:
            _add(score, frame, lambda each: each.host in order.linked)
    asked = order.peers | order.linked
    told = [host for host in sorted(score, key=lambda each: (-score[each], each)) if host in asked]
    # Nobody stands out: some of those that hang on it.
    others = sorted(order.linked - set(told))
    return frozenset([*told, *others][:MAX_SUSPECTS])


def _add(score: dict[str, float], frame: Frame, belongs: Callable[[Device], bool]) -> None:
    grown = np.nansum(stats.increases(frame.values), axis=1)
    most = float(grown.max(initial=0.0))
    for entity, growth in zip(frame.entities, grown.tolist(), strict=True):
        if entity.host and growth > 0 and belongs(entity):
            score[entity.host] += growth / most


def is_part_of(entity: Device, shared: Sequence[str]) -> bool:
    """Say whether an export or a server is one of those named, by server, path or both."""
    server, _, path = (entity.name or "").partition(":")
    return bool(server) and any(name in {entity.name, server, path} for name in shared)


def _only(frame: Frame, order: CaptureOrder) -> Frame:
    rows = [
        row
        for row, entity in enumerate(frame.entities)
        if entity.host in order.suspects
        or (entity.kind == "server" and is_part_of(entity, order.shared))
    ]
    return Frame(
        signal=frame.signal,
        entities=tuple(frame.entities[row] for row in rows),
        start=frame.start,
        step=frame.step,
        values=frame.values[rows],
        details=tuple(frame.details[row] for row in rows) if frame.details else (),
    )


def within(blocks: Sequence[Block], limit: int) -> tuple[list[Block], int]:
    kept: list[Block] = []
    size = 0
    for block in blocks:
        size += len(block.body)
        if size <= limit:
            kept.append(block)
    return kept, len(blocks) - len(kept)
