"""What an operator keeps of the metrics around an incident: a GPU that grew hot and vanished."""

from collections.abc import Mapping
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from apps.incidents.models import Incident
from apps.telemetry.evidence.blocks import packed
from apps.telemetry.models import EvidenceBlock, Source
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast

STEPS = 104  # 26 minutes at 15 s, the stop after 20 of them
STOP = 80
GPU = {"kind": "gpu", "host": "gpu001", "index": 3, "uuid": "ab12"}
# signal → (unit, family, level, noise, what the blamed part shows before it vanishes)
SIGNALS = {
    "gpu.temperature": ("°C", "temperature", 61.0, 1.0, 88.0),
    "gpu.power": ("W", "power", 640.0, 15.0, 310.0),
    "gpu.clock": ("MHz", "clock", 1905.0, 6.0, 900.0),
    "gpu.utilisation": ("ratio", "activity", 0.98, 0.01, 1.0),
}
Signals = Mapping[str, tuple[str, str, float, float, float]]


def keep(cast: Cast, incident: Incident, signals: Signals = SIGNALS) -> None:
    """Keep a GPU that grew hot and slow and then vanished, beside the band of its peers."""
    noise = np.random.default_rng(7)
    with organization_scope(cast.operator.pk):
        source = Source.objects.create(
            organization=cast.operator,
            public_id="src-1",
            cluster=cast.cluster,
            kind="prometheus",
            name="dcgm",
            created_at=make.AT,
        )
        for name, (unit, family, level, spread, shown) in signals.items():
            values = level + spread * noise.standard_normal(STEPS)
            values[30:STOP] = np.linspace(level, shown, STOP - 30)
            values[STOP + 2 :] = np.nan
            band = level + spread * np.array([[-2.0], [-0.7], [0.0], [0.7], [2.0]])
            lines = band + 0.2 * spread * noise.standard_normal((5, STEPS))
            _block(cast, incident, source, GPU, family, [name], [unit], values[None, :])
            quantiles = [f"{name}:{each}" for each in ("p5", "p25", "p50", "p75", "p95")]
            peers = {"kind": "peers"}
            _block(cast, incident, source, peers, family, quantiles, [unit] * 5, lines)


def _block(  # noqa: PLR0917  a block in the order of its columns
    cast: Cast,
    incident: Incident,
    source: Source,
    entity: Mapping[str, object],
    family: str,
    signals: list[str],
    units: list[str],
    values: NDArray[np.float64],
) -> None:
    EvidenceBlock.objects.create(
        organization=cast.operator,
        incident_owner=incident.organization_id,
        incident_public_id=incident.public_id,
        source=source,
        source_name=source.name,
        capture_pass=2,
        entity=entity,
        entity_key="|".join(str(each) for each in entity.values()),
        family=family,
        signals=signals,
        units=units,
        starts_at=make.AT - timedelta(minutes=20),
        step_seconds=15.0,
        shape=list(values.shape),
        body=packed(values),
    )
