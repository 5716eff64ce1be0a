"""Link downs of the blamed part against its peers."""

from django.utils.translation import gettext_noop

from apps.web.charts.chart_lines import Panel

PANEL = Panel(
    key="link-downs",
    title=gettext_noop("Link downs"),
    signals=("nic.link_downed",),
    unit=gettext_noop("times"),
    layer="network",
    digits=0,
)
