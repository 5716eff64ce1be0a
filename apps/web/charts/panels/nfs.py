"""NFS queue of the blamed part against its peers."""

from django.utils.translation import gettext_noop

from apps.web.charts.chart_lines import Panel

PANEL = Panel(
    key="nfs-queue",
    title=gettext_noop("NFS queue"),
    signals=("nfs.queue",),
    unit=gettext_noop("requests waiting"),
    layer="storage",
    digits=1,
)
