"""What the parts of a report are called. English here; translated where a page shows it."""

from collections.abc import Mapping
from typing import Final

from apps.wording.translatable import gettext_noop

FIGURES: Final = {
    "incidents": gettext_noop("Incidents"),
    "still-open": gettext_noop("Still open"),
    "contested": gettext_noop("Contested verdicts"),
    "not-answered": gettext_noop("Verdicts that blamed parties have not answered"),
    "agreed": gettext_noop("Verdicts agreed, or final by lapse of time"),
    "found-after": gettext_noop("Found after, median"),
    "repaired-after": gettext_noop("Resolved after, median"),
    "sessions": gettext_noop("Sessions"),
    "time-to-failure": gettext_noop("Mean time to failure"),
    "time-to-infrastructure-failure": gettext_noop("Mean time to a failure of infrastructure"),
    "failures-per-1000-node-days": gettext_noop("Failures per 1,000 node-days"),
    "goodput": gettext_noop("Goodput"),
    "ettr": gettext_noop("ETTR"),
    "mfu": gettext_noop("Model FLOPs utilization"),
    "checkpoint-interval": gettext_noop("Checkpoint interval"),
    "lost-gpu-hours": gettext_noop("Lost GPU-hours"),
    "lost-progress": gettext_noop("of that, progress since the last checkpoint"),
    "downtime": gettext_noop("of that, downtime"),
    "slow-time": gettext_noop("of that, slow steps"),
    "disputed": gettext_noop("of that, disputed"),
    "retries-burnt": gettext_noop("GPU-hours spent on retries"),
}
# What may be withheld and is no figure above.
OTHERS: Final = {
    "blamed-parts": gettext_noop("Which parts are blamed"),
    "worst-nodes": gettext_noop("Nodes blamed most"),
    "in-hands": gettext_noop("In whose hands it was"),
    "dissent": gettext_noop("Dissent"),
    "lost-by-party": gettext_noop("Lost GPU-hours by party"),
    "retries": gettext_noop("Retries"),
}
TABLES: Final = {
    "incidents-by-layer": gettext_noop("Incidents by layer"),
    "incidents-by-cause": gettext_noop("Incidents by cause"),
    "in-hands": gettext_noop("In whose hands it was"),
    "dissent": gettext_noop("Dissent"),
    "coverage": gettext_noop("What there was to judge by"),
    "lost-by-layer": gettext_noop("Lost GPU-hours by layer"),
    "lost-by-cause": gettext_noop("Lost GPU-hours by cause"),
    "lost-by-party": gettext_noop("Lost GPU-hours by party"),
    "lost-by-month": gettext_noop("Lost GPU-hours by month"),
    "time-uses": gettext_noop("What the time went into"),
    "retries": gettext_noop("Retries"),
    "worst-nodes": gettext_noop("Nodes blamed most"),
    "incidents": gettext_noop("Incidents, one by one"),
}
COLUMNS: Final = {
    "layer": gettext_noop("Layer"),
    "cause": gettext_noop("Cause"),
    "share": gettext_noop("Share of incidents"),
    "contested": gettext_noop("Contested"),
    "incidents": gettext_noop("Incidents"),
    "incident": gettext_noop("Incident"),
    "party": gettext_noop("Party"),
    "seconds": gettext_noop("Time"),
    "n": "n",
    "said_layer": gettext_noop("Says layer"),
    "said_cause": gettext_noop("Says cause"),
    "source": gettext_noop("Source"),
    "present": gettext_noop("Present"),
    "absent": gettext_noop("Absent"),
    "stale": gettext_noop("Stale"),
    "hidden": gettext_noop("Hidden by policy"),
    "name": gettext_noop("Name"),
    "gpu_hours": gettext_noop("GPU-hours"),
    "gpu_hours_share": gettext_noop("Share of GPU-hours"),
    "gpu_hours_share_low": gettext_noop("from (95 %)"),
    "gpu_hours_share_high": gettext_noop("to (95 %)"),
    "share_low": gettext_noop("from (95 %)"),
    "share_high": gettext_noop("to (95 %)"),
    "disputed_gpu_hours": gettext_noop("Disputed GPU-hours"),
    "use": gettext_noop("Use"),
    "kind": gettext_noop("Kind"),
    "recovered": gettext_noop("Recovered"),
    "host": gettext_noop("Node"),
    "cluster": gettext_noop("Cluster"),
    "at": gettext_noop("Broke at, else found at"),
    "verdict": gettext_noop("Verdict"),
    "state": gettext_noop("Stands"),
    "status": gettext_noop("Status"),
    "found_seconds": gettext_noop("Found after"),
    "repaired_seconds": gettext_noop("Resolved after"),
}
# Where a column means something else in one table.
COLUMNS_OF: Final[Mapping[str, Mapping[str, str]]] = {
    "time-uses": {"share": gettext_noop("Share of the wall clock"), "n": gettext_noop("Sessions")},
}
SLUGS: Final = {
    "likely": gettext_noop("likely"),
    "possible": gettext_noop("possible"),
    "unknown": gettext_noop("not settled"),
    "no-failure": gettext_noop("no failure"),
    "open": gettext_noop("open"),
    "resolved": gettext_noop("resolved"),
    "proposed": gettext_noop("proposed"),
    "contested": gettext_noop("contested"),
    "agreed": gettext_noop("agreed"),
    "final": gettext_noop("final"),
    "automatic": gettext_noop("automatic"),
    "manual": gettext_noop("manual"),
}
USES: Final = {
    "productive": gettext_noop("Productive"),
    "checkpoint-save": gettext_noop("Waiting for saves"),
    "checkpoint-restore": gettext_noop("Loading checkpoints"),
    "straggler": gettext_noop("Slower than usual"),
    "lost-progress": gettext_noop("Lost progress"),
    "infrastructure-recovery": gettext_noop("Recovery"),
    "queue": gettext_noop("Queue"),
    "unknown": gettext_noop("Not known"),
}
ABSENCES: Final = {
    "nothing": gettext_noop("nothing to count"),
    "not-told": gettext_noop("nobody told what it takes"),
    "hidden": gettext_noop("hidden by policy"),
    "other-tenants": gettext_noop("withheld: it would tell one tenant of another"),
}
AUDIENCES: Final = {
    "own": gettext_noop("own sessions"),
    "cluster": gettext_noop("all that it may read of the cluster"),
    "joint": gettext_noop("what all parties of the cluster may read"),
}
STANCES: Final = {
    "settled": gettext_noop("Settled"),
    "dissent": gettext_noop("Dissents"),
}
OTHER_TENANT: Final = gettext_noop("A tenant, not named to you")
NOT_SIGNED: Final = gettext_noop("Not signed yet")
CAME: Final = gettext_noop("%(what)s came")
WENT: Final = gettext_noop("%(what)s went")
MOVED: Final = gettext_noop("%(what)s: %(before)s → %(after)s")
SHARE: Final = gettext_noop("%(hits)s of %(n)s")
RANGE: Final = gettext_noop("95 %%: %(low)s to %(high)s")
AT_LEAST: Final = gettext_noop("at least %(value)s")
SPREAD: Final = gettext_noop("%(low)s to %(high)s")
TOO_FEW: Final = gettext_noop("too few for an interval")
NOBODY: Final = gettext_noop("nobody: no layer is blamed")
NOT_KNOWN: Final = gettext_noop("not known")
NO_END: Final = gettext_noop("no upper end")
EMPTY: Final = gettext_noop("Nothing of it in these days.")
