"""GPU utilisation of the blamed part against its peers."""

from django.utils.translation import gettext_noop

from apps.web.charts.chart_lines import Panel

PANEL = Panel(
    key="gpu-utilisation",
    title=gettext_noop("GPU utilisation"),
    signals=("gpu.utilisation", "smi.utilisation", "allsmi.utilisation", "gpud.utilisation"),
    unit="%",
    layer="gpu",
    digits=0,
    factor=100,
)
