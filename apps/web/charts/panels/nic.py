"""NIC transmit of the blamed part against its peers."""

from django.utils.translation import gettext_noop

from apps.web.charts.chart_lines import Panel

PANEL = Panel(
    key="nic-transmit",
    title=gettext_noop("NIC transmit"),
    signals=("nic.transmitted",),
    unit="GB/s",
    layer="network",
    digits=1,
    factor=1e-9,
)
