"""Free host memory of the blamed part against its peers."""

from apps.web.figures import Panel

PANEL = Panel(
    key="host-memory",
    title="Free host memory",
    signals=("node.memory.available",),
    unit="GiB",
    layer="host",
    digits=0,
    factor=1 / 2**30,
)
