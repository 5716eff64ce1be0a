"""NIC transmit of the blamed part against its peers."""

from apps.web.figures import Panel

PANEL = Panel(
    key="nic-transmit",
    title="NIC transmit",
    signals=("nic.transmitted",),
    unit="GB/s",
    layer="network",
    digits=1,
    factor=1e-9,
)
