"""Sightings and placements as rows: what was seen, and who sat where. Order-free."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django.db import connection
from django.db.models import Model, Q, QuerySet

from apps.diagnosis.detection.metrics.united_parts import NAMES, OWN, Value
from apps.fleet.devices.device_history import DevicePlacement, condensed, placements
from apps.fleet.devices.observation import DeviceObservation
from apps.fleet.devices.related_observations import MOST_HOSTS, Key
from apps.fleet.models import Device, Node, Sighting
from apps.tenancy.database.advisory_locks import Lock, hold

WORDS: Final = (*NAMES, "model")


def record_sightings(
    *,
    cluster_id: int,
    organization_id: int,
    nodes: Mapping[str, Node],
    sightings: Sequence[DeviceObservation],
) -> None:
    """Write what was seen on these nodes, and the placements that follow. Needs the owner's scope.

    Saying something twice, late, or in another order leads to the same rows.
    """
    if not sightings:
        return
    # Writers of one organization's cluster take turns: two halves of one truth must not be worked
    # out side by side. Another organization has a truth of its own and waits for nobody.
    hold(Lock.DEVICE_HISTORY, f"{organization_id}/{cluster_id}")
    # Before it is written: a name that this gives to one host too many was that of a board so far.
    holders = _holders(
        cluster_id=cluster_id, organization_id=organization_id, boards=_boards(sightings)
    )
    elsewhere = {node for nodes_of in _scarce(holders).values() for node in nodes_of}
    hosts = {node.pk: name for name, node in nodes.items()}
    rows = Sighting.objects.for_organization(organization_id)
    _write_sightings(rows=rows, organization_id=organization_id, hosts=hosts, sightings=sightings)
    _placements_again(
        cluster_id=cluster_id,
        organization_id=organization_id,
        nodes=elsewhere | {nodes[seen.host].pk for seen in sightings},
    )


def seen_of(*, row: Sighting, host: str) -> DeviceObservation:
    """Return a stored sighting as a value."""
    said: dict[str, Any] = {word: getattr(row, word) for word in WORDS}
    return DeviceObservation(
        host=host, kind=row.kind, starts_at=row.starts_at, ends_at=row.ends_at, **said
    )


def _boards(sightings: Iterable[DeviceObservation]) -> dict[str, set[Value]]:
    """Return by its kind (UUID, serial) what boards are called."""
    found: dict[str, set[Value]] = {name: set() for name in sorted(OWN)}
    for seen in sightings:
        for name in OWN & seen.names.keys():
            found[name].add(seen.names[name])
    return found


def _holders(
    *, cluster_id: int, organization_id: int, boards: Mapping[str, Collection[Value]]
) -> dict[Key, set[int]]:
    """Return of each of these boards the nodes that ever held it."""
    rows = Sighting.objects.for_organization(organization_id).filter(node__cluster=cluster_id)
    holders: dict[Key, set[int]] = defaultdict(set)
    for name, values in boards.items():
        here = rows.filter(**{f"{name}__in": sorted(map(str, values))}) if values else rows.none()
        for value, node in here.values_list(name, "node_id").distinct():
            holders[name, value].add(node)
    return holders


def _scarce(holders: Mapping[Key, set[int]]) -> dict[Key, set[int]]:
    """Leave out what more nodes have than a board ever sat in."""
    return {board: nodes for board, nodes in holders.items() if len(nodes) <= MOST_HOSTS}


def _write_sightings(
    *,
    rows: QuerySet[Sighting],
    organization_id: int,
    hosts: Mapping[int, str],
    sightings: Sequence[DeviceObservation],
) -> None:
    """Let stored sightings reach over the new ones."""
    kinds = {seen.kind for seen in sightings}
    stored = list(rows.filter(node__in=hosts, kind__in=kinds).order_by("id"))
    known = [seen_of(row=row, host=hosts[row.node_id]) for row in stored]
    whole = condensed([*known, *sightings])
    ids = {name: pk for pk, name in hosts.items()}
    is_kept = set(whole)
    gone = [row for row, seen in zip(stored, known, strict=True) if seen not in is_kept]
    grown, made = _changes(former=gone, known=set(known), whole=whole, hosts=hosts)
    rows.filter(pk__in=[row.pk for row in gone if row not in grown]).delete()
    _write_field(rows, grown, "ends_at")
    Sighting.objects.bulk_create(
        Sighting(
            organization_id=organization_id,
            node_id=ids[seen.host],
            kind=seen.kind,
            starts_at=seen.starts_at,
            ends_at=seen.ends_at,
            **{word: getattr(seen, word) for word in WORDS},
        )
        for seen in made
    )


def _changes(
    *,
    former: Sequence[Sighting],
    known: Collection[DeviceObservation],
    whole: Sequence[DeviceObservation],
    hosts: Mapping[int, str],
) -> tuple[list[Sighting], list[DeviceObservation]]:
    """Return the rows that only reach further now, and what has no row yet."""
    by_start = {_without_end(seen_of(row=row, host=hosts[row.node_id])): row for row in former}
    grown: list[Sighting] = []
    made: list[DeviceObservation] = []
    for seen in whole:
        if seen in known:
            continue
        row = by_start.get(_without_end(seen))
        if row is None:
            made.append(seen)
        else:
            row.ends_at = seen.ends_at
            grown.append(row)
    return grown, made


def _without_end(seen: DeviceObservation) -> DeviceObservation:
    return replace(seen, ends_at=seen.starts_at)


def _placements_again(*, cluster_id: int, organization_id: int, nodes: Collection[int]) -> None:
    """Work out the placements of these nodes from what was seen, and their boards' elsewhere."""
    rows = Sighting.objects.for_organization(organization_id).filter(node__cluster=cluster_id)
    here = _seen_in(rows.filter(node__in=nodes))
    holders = _holders(cluster_id=cluster_id, organization_id=organization_id, boards=_boards(here))
    boards = _scarce(holders)
    elsewhere = rows.filter(_of_boards(boards)).exclude(node__in=nodes)
    names = dict(Node.objects.filter(pk__in=nodes).values_list("pk", "name"))
    found = placements(
        [*here, *_seen_in(elsewhere)],
        hosts=set(names.values()),
        shared=holders.keys() - boards.keys(),
    )
    _write_stays(organization_id=organization_id, names=names, found=found)


def _of_boards(boards: Iterable[Key]) -> Q:
    wanted = Q(pk__in=[])
    for name in sorted(OWN):
        values = sorted(str(value) for each, value in boards if each == name)
        wanted |= Q(**{f"{name}__in": values}) if values else Q(pk__in=[])
    return wanted


def _seen_in(rows: QuerySet[Sighting]) -> list[DeviceObservation]:
    found = rows.select_related("node").order_by("id")
    return [seen_of(row=row, host=row.node.name) for row in found]


def _write_stays(
    *, organization_id: int, names: Mapping[int, str], found: Sequence[DevicePlacement]
) -> None:
    rows = Device.objects.for_organization(organization_id)
    ids = {name: pk for pk, name in names.items()}
    wanted = {
        _key(row): row for row in (_device(organization_id, ids, placement) for placement in found)
    }
    stored = {_key(row): row for row in rows.filter(node__in=names).order_by("id")}
    rows.filter(pk__in=[row.pk for key, row in stored.items() if key not in wanted]).delete()
    moved: dict[str, list[Device]] = defaultdict(list)
    for key, row in wanted.items():
        former = stored.get(key)
        for field in ("last_seen_at", "replaced_at"):
            if former is not None and getattr(former, field) != getattr(row, field):
                setattr(former, field, getattr(row, field))
                moved[field].append(former)
    for field, changed in moved.items():
        _write_field(rows, changed, field)
    Device.objects.bulk_create(row for key, row in wanted.items() if key not in stored)


def _device(organization_id: int, ids: Mapping[str, int], placement: DevicePlacement) -> Device:
    return Device(
        organization_id=organization_id,
        node_id=ids[placement.host],
        kind=placement.kind,
        name=placement.name or placement.model,
        index=placement.index,
        uuid=placement.uuid,
        serial=placement.serial,
        pci=placement.pci,
        netdev=placement.netdev,
        first_seen_at=placement.since,
        last_seen_at=placement.last_seen_at,
        replaced_at=placement.until,
    )


def _key(row: Device) -> tuple[object, ...]:
    return (
        *(row.node_id, row.kind, row.index, row.uuid, row.serial),
        *(row.pci, row.name, row.netdev, row.first_seen_at),
    )


def _write_field(rows: "QuerySet[Any]", changed: Sequence[Model], field: str) -> None:
    """Write one field of many rows in one statement."""
    if not changed:
        return
    meta = rows.model._meta  # noqa: SLF001  the documented name of a model's options
    table, column = meta.db_table, meta.get_field(field).column
    with connection.cursor() as cursor:
        cursor.execute(
            f'UPDATE "{table}" SET "{column}" = new.value '  # noqa: S608  names of our own tables
            "FROM unnest(%s::bigint[], %s::timestamptz[]) AS new (id, value) "
            f'WHERE "{table}".id = new.id',
            [[row.pk for row in changed], [getattr(row, field) for row in changed]],
        )
