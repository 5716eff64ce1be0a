"""Link downs of the blamed part against its peers."""

from apps.web.figures import Panel

PANEL = Panel(
    key="link-downs",
    title="Link downs",
    signals=("nic.link_downed",),
    unit="times",
    layer="network",
    digits=0,
)
