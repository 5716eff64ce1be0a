"""PCIe replays of the blamed part against its peers."""

from apps.web.figures import Panel

PANEL = Panel(
    key="pcie-replays",
    title="PCIe replays",
    signals=("gpu.pcie.replays",),
    unit="packets",
    layer="gpu",
    digits=0,
)
