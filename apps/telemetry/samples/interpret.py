"""Durable bodies → blocks of the window, in one transaction: done once, or not at all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import numpy as np
import zstandard
from django.conf import settings
from django.db.models import F
from numpy.typing import NDArray

from apps.telemetry.formats import remote_write
from apps.telemetry.formats.columns import Columns, labels_of
from apps.telemetry.formats.otlp import otlp_metrics
from apps.telemetry.limits.processor_budget import Budget, budget_for
from apps.telemetry.models import BatchState, PushedBlock, PushedBody, PushedState, Source
from apps.telemetry.samples import deltas
from apps.telemetry.samples.accept import OTLP, OTLP_JSON, REMOTE_WRITE_1, REMOTE_WRITE_2
from apps.telemetry.samples.window import series
from apps.telemetry.samples.window.blocks import SampleRun, merged, packed, slot_of, unpacked
from apps.telemetry.samples.window.series import SeriesPosition
from apps.telemetry.sources.instants import instant

# Clocks of senders are never all right; a sample from farther ahead is of no use now.
AHEAD: Final = timedelta(minutes=10)
READERS: Final[Mapping[str, Callable[..., Columns]]] = {
    REMOTE_WRITE_1: remote_write.read_v1,
    REMOTE_WRITE_2: remote_write.read_v2,
    OTLP: otlp_metrics.read_protobuf,
    OTLP_JSON: otlp_metrics.read_json,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpretedSamples:
    """What became of the samples of some bodies."""

    sample_count: int  # kept in the window
    outside_count: int  # older than the window, far ahead, or increments that came too late
    refused_count: int  # of series over the limit
    newest_at: datetime | None


def window_start(*, now: datetime) -> datetime:
    """Return the instant before which nothing is kept."""
    return now - timedelta(seconds=settings.PORTAL_WINDOW_SECONDS)


def interpret_bodies(
    *, source: Source, bodies: Sequence[PushedBody], now: datetime
) -> InterpretedSamples:
    """Put the samples of bodies into the window of their source. Needs the scope and a turn.

    Doing it again changes nothing: a sample is known by series and time, the last written stays.
    Raises OverBudget.
    """
    budget = budget_for(byte_count=sum(body.byte_count for body in bodies))
    found, late_count = _without_increments(source, bodies, budget, now)
    keys, run = _joined(found)
    inside = _chosen(run, _is_inside(run, now))
    used = {position: keys[position] for position in np.unique(inside.series).tolist()}
    places = series.places_of(
        source=source,
        keys=used,
        limit=settings.PORTAL_MAX_WINDOW_SERIES,
        check=budget.check,
    )
    placed = _chosen(inside, np.isin(inside.series, list(places)))
    _write_blocks(source=source, run=placed, places=places, budget=budget)
    metadata = {name: meta for each in found for name, meta in each.metadata.items()}
    if metadata:
        series.note_metadata(source=source, metadata=metadata)
    kept = InterpretedSamples(
        sample_count=len(placed),
        outside_count=len(run) - len(inside) + late_count,
        refused_count=len(inside) - len(placed),
        newest_at=instant(float(placed.at.max()) / 1000) if len(placed) else None,
    )
    _note(source=source, found=found, kept=kept, now=now)
    budget.check()
    _finish(source=source, bodies=bodies, found=found)
    return kept


def columns_of(body: PushedBody) -> Columns:
    """Return what a stored body holds, as far as it belongs to its source."""
    columns = READERS[body.protocol](body=unpacked_body(body))
    return only_cluster(columns, body.only_cluster) if body.only_cluster else columns


def _read(body: PushedBody, budget: Budget) -> Columns:
    columns = columns_of(body)
    budget.check()
    return columns


def unpacked_body(body: PushedBody) -> bytes:
    """Return a stored body as it was decoded when it came."""
    limit = settings.PORTAL_MAX_DECODED_BYTES
    return zstandard.ZstdDecompressor().decompress(bytes(body.body), max_output_size=limit)


def only_cluster(columns: Columns, cluster: str) -> Columns:
    """Return the samples of one cluster, by the label of their series."""
    own = [n for n, key in enumerate(columns.keys) if labels_of(key).get("cluster") == cluster]
    chosen = np.isin(columns.series, own)
    return replace(
        columns,
        series=columns.series[chosen],
        at=columns.at[chosen],
        values=columns.values[chosen],
    )


def _without_increments(
    source: Source, bodies: Sequence[PushedBody], budget: Budget, now: datetime
) -> tuple[list[Columns], int]:
    """Return the bodies' columns with sums for increments, and how many came too late."""
    found = [_read(body, budget) for body in bodies]
    if not any(each.deltas for each in found):
        return found, 0
    sums = deltas.sums_of(source=source)
    added = [sums.added_up(each) for each in found]
    deltas.keep(source=source, sums=sums, since=window_start(now=now))
    return [columns for columns, _ in added], sum(late for _, late in added)


def _joined(found: Sequence[Columns]) -> tuple[list[bytes], SampleRun]:
    """Return the keys of all bodies, each once, and the samples in the order they came."""
    positions: dict[bytes, int] = {}
    parts = []
    for columns in found:
        of_body = [positions.setdefault(key, len(positions)) for key in columns.keys]
        parts.append(np.array(of_body, np.int64)[columns.series])
    run = SampleRun(
        series=np.concatenate(parts),
        at=np.concatenate([each.at for each in found]),
        values=np.concatenate([each.values for each in found]),
    )
    return list(positions), run


def _is_inside(run: SampleRun, now: datetime) -> NDArray[np.bool_]:
    first = window_start(now=now).timestamp() * 1000
    last = (now + AHEAD).timestamp() * 1000
    inside: NDArray[np.bool_] = (run.at >= first) & (run.at <= last)
    return inside


def _chosen(run: SampleRun, chosen: NDArray[np.bool_]) -> SampleRun:
    return SampleRun(series=run.series[chosen], at=run.at[chosen], values=run.values[chosen])


def _write_blocks(
    *, source: Source, run: SampleRun, places: Mapping[int, SeriesPosition], budget: Budget
) -> None:
    """Merge samples into the blocks of their part and slot."""
    if not len(run):
        return
    parts = np.zeros(max(places) + 1, np.int64)
    numbers = np.zeros(max(places) + 1, np.int64)
    for position, place in places.items():
        parts[position], numbers[position] = place.metric.pk, place.number
    part, slot = parts[run.series], slot_of(run.at)
    order = np.lexsort((slot, part))  # stable: within a block in the order they came
    edges = np.flatnonzero(
        (np.diff(part[order], prepend=-1) != 0) | (np.diff(slot[order], prepend=-1) != 0)
    ).tolist()
    groups: dict[tuple[int, int], SampleRun] = {}
    for first, last in zip(edges, [*edges[1:], len(order)], strict=True):
        chosen = order[first:last]
        of_group = SampleRun(
            series=numbers[run.series[chosen]], at=run.at[chosen], values=run.values[chosen]
        )
        groups[int(part[chosen[0]]), int(slot[chosen[0]])] = of_group
    _merge_blocks(source, groups, budget)


def _merge_blocks(
    source: Source, groups: Mapping[tuple[int, int], SampleRun], budget: Budget
) -> None:
    own = PushedBlock.objects.for_organization(source.organization_id).filter(source=source)
    stored = own.filter(
        metric__in={part for part, _ in groups},
        starts_at__in={instant(slot / 1000) for _, slot in groups},
    )
    before = {
        (metric, round(starts_at.timestamp() * 1000)): body
        for metric, starts_at, body in stored.values_list("metric_id", "starts_at", "body")
    }
    rows = []
    for (part, slot), run in groups.items():
        budget.check()
        body = before.get((part, slot))
        whole = merged([run] if body is None else [unpacked(body, slot=slot), run])
        bytes_ = packed(whole, slot=slot)
        rows.append(
            PushedBlock(
                organization_id=source.organization_id,
                source=source,
                metric_id=part,
                starts_at=instant(slot / 1000),
                sample_count=len(whole),
                byte_count=len(bytes_),
                body=bytes_,
            )
        )
    PushedBlock.objects.bulk_create(
        rows,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["organization", "metric", "starts_at"],
        update_fields=["sample_count", "byte_count", "body"],
    )


def _note(
    *, source: Source, found: Sequence[Columns], kept: InterpretedSamples, now: datetime
) -> None:
    own = PushedState.objects.for_organization(source.organization_id).filter(source=source)
    own.update(
        body_count=F("body_count") + len(found),
        sample_count=F("sample_count") + kept.sample_count,
        histogram_count=F("histogram_count") + sum(each.histogram_count for each in found),
        exemplar_count=F("exemplar_count") + sum(each.exemplar_count for each in found),
        outside_count=F("outside_count") + kept.outside_count,
        refused_count=F("refused_count") + kept.refused_count,
        last_body_at=now,
    )
    if kept.newest_at:
        own.exclude(newest_at__gt=kept.newest_at).update(newest_at=kept.newest_at)


def _finish(*, source: Source, bodies: Sequence[PushedBody], found: Sequence[Columns]) -> None:
    """Let go of the bodies but of those that are to be forwarded; those stand as remote_write."""
    own = PushedBody.objects.for_organization(source.organization_id)
    own.filter(pk__in=[body.pk for body in bodies if not body.is_to_forward]).delete()
    for body, columns in zip(bodies, found, strict=True):
        if not body.is_to_forward:
            continue
        body.state = BatchState.INTERPRETED
        if body.protocol in {OTLP, OTLP_JSON}:
            body.protocol = REMOTE_WRITE_1
            body.body = zstandard.compress(remote_write.write_v1(columns=columns), 1)
        body.save(update_fields=["state", "protocol", "body"])
