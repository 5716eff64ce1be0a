"""NFS queue of the blamed part against its peers."""

from apps.web.figures import Panel

PANEL = Panel(
    key="nfs-queue",
    title="NFS queue",
    signals=("nfs.queue",),
    unit="requests waiting",
    layer="storage",
    digits=1,
)
