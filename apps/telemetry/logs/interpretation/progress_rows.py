"""Points of a run that a turn found → blocks of their streams."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from apps.diagnosis.model import ProgressPoint
from apps.telemetry.logs import progress_blocks
from apps.telemetry.logs.interpretation.stream_update import Work
from apps.telemetry.models import ProgressBlock
from apps.telemetry.storage_path import due_checkpoints
from apps.tenancy.database.bulk_rows import insert_or_update_rows

Key = tuple[int, int]  # stream, block


def write_points(works: Sequence[Work], *, now: datetime) -> None:
    """Write what was found; what was read again replaces what was there. Needs the scope."""
    told = [work.stream for work in works if work.points or work.is_read_again]
    due_checkpoints.mark_due(streams=told, now=now)
    for work in works:
        _clear_replaced(work)
    fresh: dict[Key, list[ProgressPoint]] = defaultdict(list)
    owners = {work.stream.pk: work.stream.organization_id for work in works}
    for work in works:
        for point in work.points:
            fresh[work.stream.pk, progress_blocks.block_of(point.number)].append(point)
    stored = _stored(list(fresh))
    rows = [
        _row(owners[key[0]], key, stored.get(key), points) for key, points in sorted(fresh.items())
    ]
    insert_or_update_rows(
        rows=rows, key=["organization", "stream", "block"], fields=["stride", "point_count", "body"]
    )


def _clear_replaced(work: Work) -> None:
    if not work.is_read_again or work.replaced_from is None:
        return
    first = progress_blocks.block_of(work.replaced_from)
    rows = ProgressBlock.objects.filter(stream=work.stream)
    begun = rows.filter(block=first).first()
    rows.filter(block__gte=first).delete()
    if begun is not None and not work.is_whole:
        before = [
            point
            for point in progress_blocks.unpacked(begun.body)
            if point.number < work.replaced_from
        ]
        begun.body, begun.point_count = progress_blocks.packed(before), len(before)
        begun.save(force_insert=True)


def _stored(keys: Sequence[Key]) -> dict[Key, ProgressBlock]:
    if not keys:
        return {}
    rows = ProgressBlock.objects.filter(
        stream__in={key[0] for key in keys}, block__in={key[1] for key in keys}
    )
    return {(row.stream_id, row.block): row for row in rows}


def _row(
    organization_id: int, key: Key, stored: ProgressBlock | None, fresh: Sequence[ProgressPoint]
) -> ProgressBlock:
    known = progress_blocks.unpacked(stored.body) if stored else []
    # A line that was read twice in one turn is one.
    together = {(each.number, each.kind, each.step): each for each in (*known, *fresh)}
    kept, stride = progress_blocks.thinned(
        sorted(together.values(), key=lambda point: point.number),
        stride=stored.stride if stored else 1,
    )
    return ProgressBlock(
        organization_id=organization_id,
        stream_id=key[0],
        block=key[1],
        stride=stride,
        point_count=len(kept),
        body=progress_blocks.packed(kept),
    )
