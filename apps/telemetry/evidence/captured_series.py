"""What was captured of an incident, series by series, as its charts are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device
from apps.telemetry.evidence.blocks import BAND, unpacked
from apps.telemetry.models import EvidenceBlock


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CapturedSeries:
    """One signal of one entity, beside the band of its peers. Gaps are NaN, never zero."""

    entity: Device
    signal: str
    meaning: str
    layer: str
    family: str
    unit: str
    at: NDArray[np.float64]  # Unix seconds
    values: NDArray[np.float32]
    peers: Mapping[str, NDArray[np.float32]]  # p5 p25 p50 p75 p95; empty where no peers were read


def charts(
    *, organization_id: int, incident_owner: int, incident_public_id: str
) -> list[CapturedSeries]:
    """Return what one organization kept around an incident, each signal of the newest pass that
    read it. Needs its scope.
    """
    rows = EvidenceBlock.objects.for_organization(organization_id).filter(
        incident_owner=incident_owner, incident_public_id=incident_public_id
    )
    newest: dict[tuple[str, str, str, str], EvidenceBlock] = {}
    for row in rows.order_by("capture_pass", "id"):
        for name in row.signals:
            newest[_source_key(row), row.entity_key, row.family, name] = row
    kept = list({row.pk: row for row in newest.values()}.values())
    bands: dict[tuple[str, float, str], NDArray[np.float32]] = {}
    for row in kept:
        if row.entity["kind"] == "peers":
            start = row.starts_at.timestamp()
            values = unpacked(body=row.body, shape=row.shape)
            for name, line in zip(row.signals, values, strict=True):
                bands[_source_key(row), start, name] = line
    shown = [row for row in kept if row.entity["kind"] != "peers"]
    return [
        chart
        for row in shown
        for chart in _charts(row, bands)
        if newest[_source_key(row), row.entity_key, row.family, chart.signal] is row
    ]


def _source_key(row: EvidenceBlock) -> str:
    """Return what tells sources apart, also when they were removed since."""
    return row.source_name or str(row.source_id or "")


def _charts(
    row: EvidenceBlock, bands: Mapping[tuple[str, float, str], NDArray[np.float32]]
) -> list[CapturedSeries]:
    signals = catalog().signals
    start = row.starts_at.timestamp()
    values = unpacked(body=row.body, shape=row.shape)
    made = []
    for name, unit, line in zip(row.signals, row.units, values, strict=True):
        signal = signals.get(name.partition("[")[0])
        band = {
            p: bands.get((_source_key(row), start, f"{name.partition('[')[0]}:{p}"))
            for p, _ in BAND
        }
        made.append(
            CapturedSeries(
                entity=Device(**row.entity),
                signal=name,
                meaning=signal.meaning if signal else name,
                layer=signal.layer if signal else "unknown",
                family=row.family,
                unit=unit,
                at=start + row.step_seconds * np.arange(row.shape[1], dtype=np.float64),
                values=line,
                peers={p: found for p, found in band.items() if found is not None},
            )
        )
    return made
