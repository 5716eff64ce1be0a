"""What of a source belongs into an evidence window, within the limits of time and size."""

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.metrics.frames import Grid, Samples, frame_of
from apps.diagnosis.metrics.identity import host_name
from apps.diagnosis.metrics.load import catalog
from apps.diagnosis.model import Device, Frame, Query, Read, Signal
from apps.telemetry import metrics
from apps.telemetry.blocks import Block, band_of, blocks_of, merged
from apps.telemetry.models import EvidenceCapture, Source
from apps.telemetry.sources.bulk import Client
from apps.telemetry.sources.prometheus import (
    QueryFailed,
    selector,
)

SOURCE_SECONDS: Final = 15.0
MAX_BYTES: Final = 20 * 2**20
MAX_SUSPECTS: Final = 3
CLIENT_SIGNAL: Final = "nfs.queue"  # who waits most for a shared file system


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Order:
    capture: EvidenceCapture
    source: Source
    names: metrics.Names
    grid: Grid
    suspects: frozenset[str]
    peers: frozenset[str]
    shared: tuple[str, ...]  # file systems and servers under suspicion


def read_window(*, client: Client, order: Order) -> tuple[list[Block], str]:
    """Return the blocks that the limits of time and size allow, and what had to be left out."""
    ends_at = time.monotonic() + SOURCE_SECONDS
    names = client.metric_names(starts_at=order.grid.start, ends_at=order.grid.end)
    told = metrics.with_told_hosts(
        client=client, names=order.names, metric_names=names, at=order.grid.end
    )
    order = replace(order, names=told)
    known = catalog().read(Read.ALWAYS, Read.AROUND)
    wanted = metrics.served(signals=known, names=names)
    wanted.sort(key=lambda pair: not pair[0].is_core)
    order = _with_worst_clients(client=client, order=order, wanted=wanted)
    spelling: dict[str, dict[str, str]] = {}
    frames: list[Frame] = []
    bands: list[Block] = []
    left_out = 0
    for signal, query in wanted:
        if time.monotonic() > ends_at:
            left_out += 1
            continue
        if not signal.is_core and not order.suspects and not order.shared:
            continue
        try:
            frame = _frame(client=client, order=order, pair=(signal, query), spelling=spelling)
        except QueryFailed:
            left_out += 1
            continue
        band = band_of(frame=frame, hosts=order.peers) if signal.is_core else None
        bands += [band] if band else []
        frames.append(_only(frame, order))
    kept, dropped = within([*merged(bands), *blocks_of(frames=frames)], MAX_BYTES)
    missing = left_out + dropped
    return kept, f"{missing} signals were left out by the limits" if missing else ""


def _frame(
    *,
    client: Client,
    order: Order,
    pair: tuple[Signal, Query],
    spelling: dict[str, dict[str, str]],
) -> Frame:
    signal, query = pair
    match = dict(query.match)
    if not signal.is_core:
        match |= spelling.get(signal.exporter, {})
    series = client.matrix(query=selector(metric=query.metric, match=match), grid=order.grid)
    labels = catalog().labels[signal.exporter]
    if signal.exporter not in spelling:
        found = _host_matcher(series=series, names=labels.host, order=order)
        if found:
            spelling[signal.exporter] = found
    return frame_of(
        signal=signal,
        scale=query.scale,
        series=series,
        grid=order.grid,
        spelling=labels,
        renamed=order.names.label_map,
        aliases=order.names.aliases,
    )


def _host_matcher(
    *, series: Sequence[Samples], names: Iterable[str], order: Order
) -> dict[str, str]:
    """Return the matcher that selects the hosts as this source spells them, or nothing."""
    for name in names:
        said = {each.labels[name] for each in series if each.labels.get(name)}
        if said:
            values = sorted(value for value in said if _ours(value, order) in order.suspects)
            return {name: "~" + "|".join(map(re.escape, values))} if values else {}
    return {}


def _ours(value: str, order: Order) -> str | None:
    host = host_name(value)
    return order.names.aliases.get(host, host) if host else None


def _with_worst_clients(
    *, client: Client, order: Order, wanted: Sequence[tuple[Signal, Query]]
) -> Order:
    """Return the order with the clients that waited most, where only a shared part is suspected."""
    pair = next((pair for pair in wanted if pair[0].name == CLIENT_SIGNAL), None)
    if order.suspects or not order.shared or pair is None:
        return order
    try:
        frame = _frame(client=client, order=order, pair=pair, spelling={})
    except QueryFailed:
        return order
    waited = np.nansum(stats.increases(frame.values), axis=1)
    worst = dict.fromkeys(
        frame.entities[row].host
        for row in np.argsort(-waited, kind="stable").tolist()
        if frame.entities[row].host in order.peers and is_part_of(frame.entities[row], order.shared)
    )
    hosts = frozenset(host for host in list(worst)[:MAX_SUSPECTS] if host)
    return replace(order, suspects=hosts, peers=order.peers - hosts or order.peers)


def is_part_of(entity: Device, shared: Sequence[str]) -> bool:
    """Say whether an export or a server is one of those named, by server, path or both."""
    server, _, path = (entity.name or "").partition(":")
    return bool(server) and any(name in {entity.name, server, path} for name in shared)


def _only(frame: Frame, order: Order) -> Frame:
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
