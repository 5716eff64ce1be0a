"""GPU clock of the blamed part against its peers."""

from django.utils.translation import gettext_noop

from apps.web.charts.chart_lines import Panel

PANEL = Panel(
    key="gpu-clock",
    title=gettext_noop("GPU clock"),
    signals=("gpu.clock",),
    unit="MHz",
    layer="gpu",
    digits=0,
)
