"""GPU clock of the blamed part against its peers."""

from apps.web.figures import Panel

PANEL = Panel(
    key="gpu-clock",
    title="GPU clock",
    signals=("gpu.clock",),
    unit="MHz",
    layer="gpu",
    digits=0,
)
