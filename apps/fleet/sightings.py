"""Sightings and stays as rows: write what was seen, work out again who sat where. Order-free."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import Model, Q, QuerySet

from apps.diagnosis.metrics.united import NAMES, OWN
from apps.fleet.models import Device, Node, Sighting
from apps.fleet.seating import Seat, Seen, condensed, seats

# Writers of one cluster take turns: two halves of one truth must not be worked out side by side.
LOCK: Final = 70_417
WORDS: Final = (*NAMES, "model")


def record_sightings(
    *, cluster_id: int, organization_id: int, nodes: Mapping[str, Node], sightings: Sequence[Seen]
) -> None:
    """Write what was seen on these nodes, and the stays that follow. Needs the owner's scope.

    Saying something twice, late, or in another order leads to the same rows.
    """
    if not sightings:
        return
    _lock(cluster_id)
    hosts = {node.pk: name for name, node in nodes.items()}
    rows = Sighting.objects.for_organization(organization_id)
    written = _write_sightings(
        rows=rows, organization_id=organization_id, hosts=hosts, sightings=sightings
    )
    _seat_again(
        cluster_id=cluster_id,
        organization_id=organization_id,
        touched={nodes[seen.host].pk for seen in sightings},
        boards={(name, value) for seen in written for name, value in seen.names.items()},
    )


def seen_of(*, row: Sighting, host: str) -> Seen:
    """Return a stored sighting as a value."""
    said: dict[str, Any] = {word: getattr(row, word) for word in WORDS}
    return Seen(host=host, kind=row.kind, starts_at=row.starts_at, ends_at=row.ends_at, **said)


def _lock(cluster_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCK, cluster_id % 2**31])


def _write_sightings(
    *,
    rows: QuerySet[Sighting],
    organization_id: int,
    hosts: Mapping[int, str],
    sightings: Sequence[Seen],
) -> list[Seen]:
    """Let stored sightings reach over the new ones; return all of the hosts."""
    kinds = {seen.kind for seen in sightings}
    stored = list(rows.filter(node__in=hosts, kind__in=kinds).order_by("id"))
    known = [seen_of(row=row, host=hosts[row.node_id]) for row in stored]
    whole = condensed([*known, *sightings])
    ids = {name: pk for pk, name in hosts.items()}
    is_kept = set(whole)
    gone = [row for row, seen in zip(stored, known, strict=True) if seen not in is_kept]
    grown, made = _changes(former=gone, known=set(known), whole=whole, hosts=hosts)
    rows.filter(pk__in=[row.pk for row in gone if row not in grown]).delete()
    _update_by_value(rows, grown, "ends_at")
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
    return whole


def _changes(
    *,
    former: Sequence[Sighting],
    known: Collection[Seen],
    whole: Sequence[Seen],
    hosts: Mapping[int, str],
) -> tuple[list[Sighting], list[Seen]]:
    """Return the rows that only reach further now, and what has no row yet."""
    by_start = {_without_end(seen_of(row=row, host=hosts[row.node_id])): row for row in former}
    grown: list[Sighting] = []
    made: list[Seen] = []
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


def _without_end(seen: Seen) -> Seen:
    return replace(seen, ends_at=seen.starts_at)


def _seat_again(
    *,
    cluster_id: int,
    organization_id: int,
    touched: Collection[int],
    boards: Collection[tuple[str, object]],
) -> None:
    """Work out the stays of these nodes, and of those that ever held their boards."""
    rows = Sighting.objects.for_organization(organization_id).filter(node__cluster=cluster_id)
    of_boards = Q(pk__in=[])
    for name in sorted(OWN):
        values = [value for each, value in boards if each == name]
        of_boards |= Q(**{f"{name}__in": values}) if values else Q(pk__in=[])
    nodes = {*touched, *rows.filter(of_boards).values_list("node_id", flat=True)}
    sightings = rows.filter(Q(node__in=nodes) | of_boards).select_related("node")
    seen = [seen_of(row=row, host=row.node.name) for row in sightings.order_by("id")]
    names = dict(Node.objects.filter(pk__in=nodes).values_list("pk", "name"))
    found = seats(seen, hosts=set(names.values()))
    _write_stays(organization_id=organization_id, names=names, found=found)


def _write_stays(*, organization_id: int, names: Mapping[int, str], found: Sequence[Seat]) -> None:
    rows = Device.objects.for_organization(organization_id)
    ids = {name: pk for pk, name in names.items()}
    wanted = {_key(row): row for row in (_device(organization_id, ids, seat) for seat in found)}
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
        _update_by_value(rows, changed, field)
    Device.objects.bulk_create(row for key, row in wanted.items() if key not in stored)


def _device(organization_id: int, ids: Mapping[str, int], seat: Seat) -> Device:
    return Device(
        organization_id=organization_id,
        node_id=ids[seat.host],
        kind=seat.kind,
        name=seat.name or seat.model,
        index=seat.index,
        uuid=seat.uuid,
        serial=seat.serial,
        pci=seat.pci,
        netdev=seat.netdev,
        first_seen_at=seat.since,
        last_seen_at=seat.last_seen_at,
        replaced_at=seat.until,
    )


def _key(row: Device) -> tuple[object, ...]:
    return (
        *(row.node_id, row.kind, row.index, row.uuid, row.serial),
        *(row.pci, row.name, row.netdev, row.first_seen_at),
    )


def _update_by_value(rows: "QuerySet[Any]", changed: Iterable[Model], field: str) -> None:
    """Write one field of many rows: few statements, as most share their value."""
    by_value: dict[datetime | None, list[int]] = defaultdict(list)
    for row in changed:
        by_value[getattr(row, field)].append(row.pk)
    for value, pks in by_value.items():
        rows.filter(pk__in=pks).update(**{field: value})
