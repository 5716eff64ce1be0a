"""Parts that became others, as facts that stand beside a failure. Needs the scopes."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from apps.diagnosis.model import (
    PART_CHANGED,
    Anomaly,
    Device,
    Layer,
    Role,
    Statement,
    statement,
)
from apps.fleet.devices.device_changes import DeviceChange, changes
from apps.fleet.devices.device_history import DevicePlacement
from apps.fleet.devices.placement_queries import believed_devices, stay_of
from apps.fleet.hosts import host_names as spelling
from apps.fleet.models import Device as Stay
from apps.tenancy.database.one_of import one_of

LAYERS = {"gpu": Layer.GPU, "nic": Layer.NETWORK}


def changed_parts(
    *,
    cluster_id: int,
    reader_id: int,
    hosts: Collection[str],
    starts_at: datetime,
    ends_at: datetime,
) -> list[tuple[int, Anomaly]]:
    """Return (organization that knows it, fact) of what became another on these hosts."""
    aliases = spelling.alias_table(cluster_id=cluster_id, reader_id=reader_id)
    names = {spelling.resolve(name=host, aliases=aliases) for host in hosts}
    believed = believed_devices(cluster_id=cluster_id, reader_id=reader_id)
    if not _began(believed, names=names, starts_at=starts_at, ends_at=ends_at):
        return []
    rows = believed.filter(first_seen_at__lte=ends_at)
    placements: dict[int, list[DevicePlacement]] = defaultdict(list)
    for row in rows.select_related("node").order_by("first_seen_at", "id"):
        placements[row.organization_id].append(stay_of(row=row))
    return [
        (owner, _fact(change, owner))
        for owner, own in sorted(placements.items())
        for change in changes(placements=own, hosts=names, starts_at=starts_at, ends_at=ends_at)
    ]


def _began(
    believed: QuerySet[Stay], *, names: Collection[str], starts_at: datetime, ends_at: datetime
) -> bool:
    """Say whether any placement began in the span: mostly none did, and nothing more is read."""
    rows = believed.filter(one_of("node__name", names))
    return rows.filter(first_seen_at__range=(starts_at, ends_at)).exists()


def _fact(change: DeviceChange, owner: int) -> Anomaly:
    placement = change.placement
    return Anomaly(
        kind=PART_CHANGED,
        signal=f"inventory.{change.kind}",
        family="inventory",
        layer=LAYERS[placement.kind],
        entity=Device(
            kind=placement.kind,
            host=placement.host,
            index=placement.index,
            uuid=placement.uuid or None,
            pci=placement.pci or None,
            name=placement.name or None,
        ),
        starts_at=change.at,
        role=Role.CONTEXT,
        source=f"inventory:{owner}",
        statement=_told(change),
    )


def _told(change: DeviceChange) -> Statement:
    placement, former, last = change.placement, change.former, change.last_seen_at
    here, was = _place(placement), _place(former, with_host=False)
    if change.kind == "replaced":
        return statement("part-replaced", part=here, board=_board(former), last=last)
    if change.kind == "moved":
        was = _place(former, with_host=former.host != placement.host)
        return statement("part-moved", part=here, former=was, last=last)
    return statement("part-renumbered", part=here, former=was, last=last)


def _place(placement: DevicePlacement, *, with_host: bool = True) -> Statement:
    which = str(placement.index) if placement.index is not None else placement.name or placement.pci
    part = statement("device", kind=placement.kind, which=which)
    return statement("part-of-host", part=part, host=placement.host) if with_host else part


def _board(placement: DevicePlacement) -> str:
    return f"GPU-{placement.uuid}" if placement.kind == "gpu" else placement.uuid
