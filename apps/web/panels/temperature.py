"""GPU temperature of the blamed part against its peers."""

from apps.web.figures import Panel

PANEL = Panel(
    key="gpu-temperature",
    title="GPU temperature",
    signals=("gpu.temperature", "smi.temperature", "allsmi.temperature", "gpud.temperature"),
    unit="°C",
    layer="gpu",
    digits=0,
)
