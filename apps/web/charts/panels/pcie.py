"""PCIe replays of the blamed part against its peers."""

from django.utils.translation import gettext_noop

from apps.web.charts.chart_lines import Panel

PANEL = Panel(
    key="pcie-replays",
    title=gettext_noop("PCIe replays"),
    signals=("gpu.pcie.replays",),
    unit=gettext_noop("packets"),
    layer="gpu",
    digits=0,
)
