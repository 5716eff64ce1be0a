"""GPU utilisation of the blamed part against its peers."""

from apps.web.figures import Panel

PANEL = Panel(
    key="gpu-utilisation",
    title="GPU utilisation",
    signals=("gpu.utilisation", "smi.utilisation", "allsmi.utilisation", "gpud.utilisation"),
    unit="%",
    layer="gpu",
    digits=0,
    factor=100,
)
