"""The server whose anomalies are stored."""

from dataclasses import replace
from datetime import timedelta

from apps.diagnosis.model import Anomaly, Device, Layer, Role
from tests.cast.metrics import NOW

XID = Anomaly(
    kind="counter-increase",
    signal="gpu.xid",
    family="xid",
    layer=Layer.GPU,
    entity=Device(kind="gpu", host="gpu001", index=3, pci="0000:83:00.0"),
    starts_at=NOW,
    score=1.0,
    value=79.0,
    baseline=0.0,
    unit="code",
    role=Role.INITIATING,
    causes=("gpu-off-bus",),
    detail="79",
    resolution_seconds=30.0,
)


SERVER = replace(
    XID,
    kind="saturation",
    signal="nfs.queue",
    entity=Device(kind="server", name="nas1"),
    detail="nas1:/ckpt",
    host_count=60,
    ends_at=NOW + timedelta(minutes=6),
)
