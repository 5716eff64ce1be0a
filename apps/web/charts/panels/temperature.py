"""GPU temperature of the blamed part against its peers."""

from django.utils.translation import gettext_noop

from apps.web.charts.chart_lines import Panel

PANEL = Panel(
    key="gpu-temperature",
    title=gettext_noop("GPU temperature"),
    signals=("gpu.temperature", "smi.temperature", "allsmi.temperature", "gpud.temperature"),
    unit="°C",
    layer="gpu",
    digits=0,
)
