"""Minutes as rows: what is read again or late changes nothing that a later reading told."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import QuerySet

from apps.telemetry.fleet_metrics.minute_bodies import (
    MinuteColumn,
    Part,
    merge_columns,
    packed_parts,
    packed_values,
    parts_of,
    values_of,
)
from apps.telemetry.fleet_metrics.minute_samples import MinuteSample
from apps.telemetry.models import MetricMinute, PartList, Source
from apps.tenancy.database.bulk_rows import insert_or_update_rows

Key = tuple[str, datetime]  # signal, end of the minute


def write_minutes(*, source: Source, samples: Sequence[MinuteSample], since: datetime) -> int:
    """Keep what was read of minutes after `since`; return how many. Needs the owner's scope."""
    fresh = {(each.signal, each.at): each for each in samples if each.at > since}
    if not fresh:
        return 0
    known = _stored(source, list(fresh))
    merged = {
        key: merge_columns(known[key], each.column) if key in known else each.column
        for key, each in fresh.items()
    }
    lists = _part_lists(source, {each.parts for each in merged.values()})
    insert_or_update_rows(
        rows=[
            MetricMinute(
                organization_id=source.organization_id,
                source_id=source.pk,
                cluster_id=source.cluster_id,
                signal=signal,
                at=at,
                read_until=column.read_until,
                parts_id=lists[column.parts],
                body=packed_values(column.values, is_exact=fresh[signal, at].is_exact),
            )
            for (signal, at), column in sorted(merged.items())
        ],
        key=["organization", "source", "signal", "at"],
        fields=["read_until", "parts", "body"],
    )
    return len(merged)


def _stored(source: Source, keys: Sequence[Key]) -> dict[Key, MinuteColumn]:
    rows = MetricMinute.objects.for_organization(source.organization_id).filter(
        source=source,
        signal__in={signal for signal, _ in keys},
        at__in={at for _, at in keys},
    )
    # Whoever else reads the same source waits here: what it adds is not lost.
    found = list(rows.order_by("id").select_for_update())
    lists = lists_by_id(source.organization_id, {row.parts_id for row in found})
    return {
        (row.signal, row.at): MinuteColumn(
            parts=lists[row.parts_id], values=values_of(row.body), read_until=row.read_until
        )
        for row in found
    }


def lists_by_id(organization_id: int, ids: set[int]) -> Mapping[int, tuple[Part, ...]]:
    """Return lists of parts by their id. Needs the owner's scope."""
    rows = PartList.objects.for_organization(organization_id).filter(pk__in=ids)
    return {pk: parts_of(body) for pk, body in rows.values_list("pk", "body")}


def _part_lists(source: Source, wanted: set[tuple[Part, ...]]) -> Mapping[tuple[Part, ...], int]:
    packed = {parts: packed_parts(parts) for parts in wanted}
    own = PartList.objects.for_organization(source.organization_id).filter(source=source)
    ids = _ids(own, [digest for digest, _ in packed.values()])
    missing = [
        PartList(organization_id=source.organization_id, source=source, digest=digest, body=body)
        for digest, body in packed.values()
        if digest not in ids
    ]
    if missing:
        PartList.objects.bulk_create(missing, ignore_conflicts=True)
        ids = _ids(own, [digest for digest, _ in packed.values()])
    return {parts: ids[digest] for parts, (digest, _) in packed.items()}


def _ids(own: QuerySet[PartList], digests: Sequence[bytes]) -> dict[bytes, int]:
    found = own.filter(digest__in=digests).values_list("digest", "pk")
    return {bytes(digest): pk for digest, pk in found}
