"""Free host memory of the blamed part against its peers."""

from django.utils.translation import gettext_noop

from apps.web.charts.chart_lines import Panel

PANEL = Panel(
    key="host-memory",
    title=gettext_noop("Free host memory"),
    signals=("node.memory.available",),
    unit="GiB",
    layer="host",
    digits=0,
    factor=1 / 2**30,
)
