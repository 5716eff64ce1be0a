"""Inventory out of labels: which hosts, GPUs and ports a source spoke of, and from when to when.

What is written here is what labels say, before anything is completed from the record: else the
record would confirm itself.
"""

import hashlib
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.identity import ADDRESS
from apps.diagnosis.model import Device, Frame
from apps.fleet.inventory import DeviceReport, NodeReport, record_devices
from apps.telemetry.models import SeriesState, Source
from apps.telemetry.sources.instants import instant

# The same parts as last time are written again only so often, to keep `last_seen_at` honest.
EVERY: Final = timedelta(minutes=10)
NAME: Final = "#inventory"
NAME_LENGTH: Final = 120
PARTS: Final = frozenset({"gpu", "nic"})
# What is worked out is kept for so many sources, and thrown away when it has grown this much.
MOST_SOURCES: Final = 64
MOST_ENTITIES: Final = 2_000_000

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSpan:
    """When samples of something came, in Unix seconds."""

    first: float
    last: float


def record(*, source: Source, frames: Sequence[Frame], now: datetime) -> bool:
    """Write what the frames name, if it is new or some time has passed. Needs the scope."""
    tables = _tables_of(source.pk)
    present, firsts, lasts = tables.present(frames)
    if tables.is_known(present, now):
        return False
    spans = tables.spans(present, firsts, lasts)
    nodes = nodes_of(spans=spans)
    said = sorted(map(str, spans))
    digest = hashlib.blake2b(repr(said).encode(), digest_size=16).digest()
    rows = SeriesState.objects.for_organization(source.organization_id)
    last = rows.filter(source=source, signal=NAME).first()
    if not nodes or (last and bytes(last.body) == digest and abs(now - last.until) < EVERY):
        return False
    record_devices(
        cluster=source.cluster, organization_id=source.organization_id, nodes=nodes, now=now
    )
    rows.update_or_create(
        organization_id=source.organization_id,
        source=source,
        signal=NAME,
        defaults={"until": now, "body": digest},
    )
    tables.remember(present, now)
    return True


class _Tables:
    """What the tables of entities of one source mean, worked out once: they seldom change."""

    def __init__(self) -> None:
        self._devices: list[Device] = []
        self._numbers: dict[Device, int] = {}
        self._codes: dict[int, tuple[tuple[Device, ...], Codes]] = {}
        self._present: Codes = np.empty(0, dtype=np.int64)
        self._at: datetime | None = None

    def __len__(self) -> int:
        return len(self._devices) + sum(len(table) for table, _ in self._codes.values())

    def present(self, frames: Sequence[Frame]) -> tuple[Codes, Floats, Floats]:
        """Return who had samples, and each one's first and last."""
        found = [
            (self._of(frame.entities)[rows], first, last)
            for frame in frames
            for rows, first, last in (_extents(frame),)
        ]
        if not found:
            return np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
        codes, first, last = (np.concatenate(column) for column in zip(*found, strict=True))
        firsts = np.full(len(self._devices), np.inf)
        lasts = np.full(len(self._devices), -np.inf)
        np.minimum.at(firsts, codes, first)
        np.maximum.at(lasts, codes, last)
        there = np.flatnonzero(np.isfinite(firsts))
        return there, firsts[there], lasts[there]

    def spans(self, present: Codes, firsts: Floats, lasts: Floats) -> dict[Device, SampleSpan]:
        """Return the same as values."""
        return {
            self._devices[code]: SampleSpan(first=first, last=last)
            for code, first, last in zip(
                present.tolist(), firsts.tolist(), lasts.tolist(), strict=True
            )
        }

    def is_known(self, present: Codes, now: datetime) -> bool:
        """Say whether the same was written a short while ago."""
        is_recent = self._at is not None and abs(now - self._at) < EVERY
        return is_recent and np.array_equal(present, self._present)

    def remember(self, present: Codes, now: datetime) -> None:
        """Note what was written."""
        self._present, self._at = present, now

    def _of(self, table: tuple[Device, ...]) -> Codes:
        known = self._codes.get(id(table))
        # The table is held, so that no other can get its place in memory.
        if known is None or known[0] is not table:
            codes = np.array([self._number(each) for each in table], dtype=np.int64)
            known = self._codes[id(table)] = (table, codes)
        return known[1]

    def _number(self, device: Device) -> int:
        number = self._numbers.setdefault(device, len(self._devices))
        if number == len(self._devices):
            self._devices.append(device)
        return number


def _extents(frame: Frame) -> tuple[Codes, Floats, Floats]:
    """Return the rows that have samples, with the time of the first and the last of each."""
    is_there = ~np.isnan(frame.values)
    rows = np.flatnonzero(is_there.any(axis=1))
    first = frame.at[is_there[rows].argmax(axis=1)]
    last = frame.at[::-1][is_there[rows, ::-1].argmax(axis=1)]
    return rows, first, last


_kept: OrderedDict[int, _Tables] = OrderedDict()


def _tables_of(source_id: int) -> _Tables:
    tables = _kept.pop(source_id, None)
    if tables is None or len(tables) > MOST_ENTITIES:
        tables = _Tables()
    _kept[source_id] = tables
    if len(_kept) > MOST_SOURCES:
        _kept.popitem(last=False)
    return tables


def nodes_of(*, spans: Mapping[Device, SampleSpan]) -> tuple[NodeReport, ...]:
    """Return each host with its parts; what says less of a part than another is left out."""
    hosts: dict[str, dict[DeviceReport, SampleSpan]] = defaultdict(dict)
    for device, span in spans.items():
        if not device.host or ADDRESS.fullmatch(device.host):
            # An address is another name of a host: a node of that name would be a double.
            continue
        parts = hosts[device.host]
        if device.kind in PARTS:
            report = _report(device)
            known = parts.get(report, span)
            parts[report] = SampleSpan(
                first=min(known.first, span.first), last=max(known.last, span.last)
            )
    return tuple(
        NodeReport(
            name=host,
            devices=tuple(
                _with_span(part, span)
                for part, span in sorted(parts.items(), key=lambda each: repr(each[0]))
                if _says_something(part) and not _is_told(part, span, parts)
            ),
        )
        for host, parts in sorted(hosts.items())
    )


def _report(device: Device) -> DeviceReport:
    # A slice of a GPU, or a process's count of it, tells of the board and is no part of its own.
    return DeviceReport(
        kind=device.kind,
        name="" if device.kind == "gpu" else (device.name or "")[:NAME_LENGTH],
        index=device.index,
        uuid=device.uuid or "",
        pci=device.pci or "",
    )


def _with_span(part: DeviceReport, span: SampleSpan) -> DeviceReport:
    return DeviceReport(
        kind=part.kind,
        name=part.name,
        index=part.index,
        uuid=part.uuid,
        pci=part.pci,
        seen_from=instant(span.first),
        seen_until=instant(span.last),
    )


def _says_something(part: DeviceReport) -> bool:
    return part.index is not None or bool(part.uuid or part.pci or part.name)


def _is_told(
    part: DeviceReport, span: SampleSpan, others: Mapping[DeviceReport, SampleSpan]
) -> bool:
    """Say whether another report of that time has all that this one says, and more."""
    mine = _said(part)
    return any(
        mine < _said(other) and at.first <= span.first and at.last >= span.last
        for other, at in others.items()
        if other.kind == part.kind
    )


def _said(part: DeviceReport) -> set[tuple[str, object]]:
    words = {"name": part.name, "index": part.index, "uuid": part.uuid, "pci": part.pci}
    return {(word, value) for word, value in words.items() if value not in {"", None}}
