"""Rows of placements → a roster to ask. Needs the scopes of whoever's rows are to count."""

from collections.abc import Collection

from django.db.models import Q, QuerySet

from apps.fleet.authority.agreed_terms import Authority, authority_of
from apps.fleet.authority.rules import Subject
from apps.fleet.authority.trusted_rows import rows_of
from apps.fleet.devices.device_history import DevicePlacement
from apps.fleet.devices.device_lookup import DeviceRoster
from apps.fleet.models import Device
from apps.tenancy.database.one_of import one_of


def roster_of(
    *, cluster_id: int, reader_id: int, hosts: Collection[str] | None = None
) -> DeviceRoster:
    """Return who sat where in a cluster, or on some hosts and wherever their boards were else.

    As those say who run the cluster, and the reader for itself.
    """
    return DeviceRoster(placements_of(cluster_id=cluster_id, reader_id=reader_id, hosts=hosts))


def placements_of(
    *,
    cluster_id: int,
    reader_id: int,
    hosts: Collection[str] | None = None,
    authority: Authority | None = None,
) -> list[DevicePlacement]:
    """Return the placements of a cluster's parts, or of some hosts with those of their boards."""
    rows = believed_devices(cluster_id=cluster_id, reader_id=reader_id, authority=authority)
    if hosts is not None:
        here = rows.filter(one_of("node__name", hosts))
        boards = here.exclude(uuid="").values("uuid")
        rows = rows.filter(Q(one_of("node__name", hosts)) | Q(uuid__in=boards))
    return [stay_of(row=row) for row in rows.select_related("node").order_by("first_seen_at", "id")]


def believed_devices(
    *, cluster_id: int, reader_id: int, authority: Authority | None = None
) -> QuerySet[Device]:
    """Return the placements that count: told by who runs the cluster, or by the reader."""
    authority = authority or authority_of(cluster_id=cluster_id)
    wanted = rows_of(authority, Subject.NODES, began="first_seen_at", reader_id=reader_id)
    return Device.objects.filter(wanted, node__cluster=cluster_id)


def stay_of(*, row: Device) -> DevicePlacement:
    """Return a stored placement as a value."""
    is_gpu = row.kind == "gpu"
    return DevicePlacement(
        host=row.node.name,
        kind=row.kind,
        since=row.first_seen_at,
        until=row.replaced_at,
        last_seen_at=row.last_seen_at,
        index=row.index,
        uuid=row.uuid,
        serial=row.serial,
        pci=row.pci,
        name="" if is_gpu else row.name,
        netdev=row.netdev,
        model=row.name if is_gpu else "",
    )
