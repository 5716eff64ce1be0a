"""Errors that kernels of nodes printed of their GPUs. Needs the scope of the organization."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from django.db.models.functions import TruncHour

from apps.telemetry.logs.xid_events import XIDS, xid_events
from apps.tenancy.access import Actor


def xids_by_host(
    *, actor: Actor, cluster_id: int, since: datetime, until: datetime
) -> Mapping[str, int]:
    """Return host → how many Xids its kernel printed, as the organization's own logs tell.

    The same kind within one hour counts once: a burst is one fault.
    """
    rows = xid_events(actor=actor, cluster_id=cluster_id, since=since, until=until, decoders=XIDS)
    told = rows.exclude(host="").annotate(hour=TruncHour("at"))
    return Counter(host for host, _, _ in told.values_list("host", "signature", "hour").distinct())
