"""GPU power of the blamed part against its peers."""

from django.utils.translation import gettext_noop

from apps.web.charts.chart_lines import Panel

PANEL = Panel(
    key="gpu-power",
    title=gettext_noop("GPU power"),
    signals=("gpu.power", "smi.power", "allsmi.power", "gpud.power"),
    unit="W",
    layer="gpu",
    digits=0,
)
