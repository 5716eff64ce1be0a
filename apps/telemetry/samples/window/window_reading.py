"""The window of a pushed source, read like a server: the same questions, answered from blocks."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from types import TracebackType
from typing import Final, Self, TypeAlias

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.diagnosis.detection.metrics.selectors import (
    BadSelector,
    MetricSelector,
    parse_selector,
)
from apps.telemetry.formats.columns import is_stale
from apps.telemetry.models import PushedBlock, PushedMetric, Source
from apps.telemetry.samples.accept import KIND
from apps.telemetry.samples.source_lock import hold_numbers
from apps.telemetry.samples.window import series
from apps.telemetry.samples.window.blocks import NOTHING, SLOT_SECONDS, SampleRun, merged, unpacked
from apps.telemetry.sources.errors import QueryFailed
from apps.telemetry.sources.instants import instant
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.telemetry.sources.stored_source import address_of
from apps.tenancy.scope import organization_scope

# As long as Prometheus takes a sample for the value of now.
LOOKBACK_SECONDS: Final = 300.0
MILLI: Final = 1000.0
LabelsOf: TypeAlias = Mapping[int, Mapping[str, str]]  # by the series' place in its part
Stored: TypeAlias = tuple[int, datetime, bytes | memoryview]  # part, slot, body of a block


def client_of(*, source: Source) -> "PrometheusSource | PushedWindow":
    """Return who answers for a source: its server, or for a pushed one its window."""
    if source.kind == KIND:
        return PushedWindow(source=source)
    return PrometheusSource(address=address_of(source=source))


class PushedWindow:
    """The rolling window of a pushed source. Each question opens and closes a scope of its own."""

    def __init__(self, *, source: Source) -> None:
        self._source = source
        self._organization_id = source.organization_id
        self.sample_count = 0
        self.warning = ""
        self._names: tuple[str, ...] | None = None  # of its metrics, once one question needs them

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Do nothing: there is no connection of its own."""

    def types(self) -> dict[str, str]:
        """Return what was said of the kind of each metric."""
        with organization_scope(self._organization_id):
            return dict(self._own().exclude(kind="").values_list("name", "kind"))

    def metric_names(self, *, starts_at: float, ends_at: float) -> frozenset[str]:
        """Return the names that had samples in a span, to the length of a slot."""
        with organization_scope(self._organization_id):
            # Two questions: joined, the blocks of thousands of names take a minute.
            told = set(self._blocks(starts_at, ends_at).values_list("metric", flat=True))
            return frozenset(
                name for number, name in self._own().values_list("id", "name") if number in told
            )

    def series_counts(self, *, query: str, at: float) -> dict[str, int]:
        """Return how many series each metric of a selector has, at whatever instant."""
        del at
        with organization_scope(self._organization_id):
            found: Counter[str] = Counter()
            for row in self._parts(self._parsed(query)).values():
                found[row.name] += row.series_count
            return found

    def matrix(self, *, query: str, grid: Grid) -> list[Samples]:
        """Return the series of a selector on a grid: at each instant the newest sample before it.

        As a server does: a sample counts for five minutes, a stale marker ends its series at once.
        """
        instants = grid.start + grid.step * np.arange(grid.count, dtype=np.float64)
        found: list[Samples] = []
        for labels, run in self._read(query, grid.start - LOOKBACK_SECONDS, grid.end):
            found += _on_instants(labels=labels, run=run, instants=instants)
        self.sample_count += sum(len(each.at) for each in found)
        return found

    def raw(self, *, query: str, seconds: float, at: float) -> list[Samples]:
        """Return the stored samples of a selector in the span before `at`, with their own times."""
        found = []
        for labels, run in self._read(query, at - seconds, at):
            inside = (run.at >= (at - seconds) * MILLI) & (run.at <= at * MILLI)
            inside &= ~is_stale(run.values)
            for number, first, last in _spans(run.series[inside]):
                found.append(
                    Samples(
                        labels=labels[number],
                        at=run.at[inside][first:last] / MILLI,
                        values=run.values[inside][first:last],
                    )
                )
        self.sample_count += sum(len(each.at) for each in found)
        return found

    def _read(
        self, query: str, starts_at: float, ends_at: float
    ) -> list[tuple[LabelsOf, SampleRun]]:
        """Return the wanted series of each part of the metrics, and their samples."""
        selector = self._parsed(query)
        with organization_scope(self._organization_id):
            hold_numbers(source_id=self._source.pk)
            parts = self._parts(selector)
            blocks = self._blocks(starts_at, ends_at).filter(metric__in=list(parts))
            rows: dict[int, list[Stored]] = {}
            for row in blocks.order_by("starts_at", "id").values_list(
                "metric_id", "starts_at", "body"
            ):
                rows.setdefault(row[0], []).append(row)
        return [_wanted(selector, parts[part], rows[part]) for part in parts if part in rows]

    def _parsed(self, query: str) -> MetricSelector:
        try:
            return parse_selector(query)
        except BadSelector as error:
            raise QueryFailed(f"{self._source.name}: {error}") from error

    def _parts(self, selector: MetricSelector) -> dict[int, PushedMetric]:
        own = self._own()
        if selector.metric is not None:
            own = own.filter(name=selector.metric)
        else:
            if self._names is None:
                self._names = tuple(own.values_list("name", flat=True).distinct())
            own = own.filter(name__in=selector.wanted(self._names))
        return {row.pk: row for row in own.defer("digests").order_by("name", "part", "id")}

    def _own(self) -> QuerySet[PushedMetric]:
        own = PushedMetric.objects.for_organization(self._organization_id)
        return own.filter(source=self._source)

    def _blocks(self, starts_at: float, ends_at: float) -> QuerySet[PushedBlock]:
        own = PushedBlock.objects.for_organization(self._organization_id)
        first = instant(starts_at) - timedelta(seconds=SLOT_SECONDS)
        return own.filter(source=self._source, starts_at__gt=first, starts_at__lte=instant(ends_at))


def _wanted(
    selector: MetricSelector, metric: PushedMetric, blocks: Sequence[Stored]
) -> tuple[LabelsOf, SampleRun]:
    """Return the labels of the series that are meant, and their samples in order."""
    named = dict(enumerate(series.labels_in(metric)))
    numbers = selector.chosen(named)
    labels = {number: {"__name__": metric.name, **named[number]} for number in numbers}
    runs = [
        unpacked(body, slot=round(starts_at.timestamp() * MILLI)) for _, starts_at, body in blocks
    ]
    run = merged(runs) if runs else NOTHING
    if len(numbers) < len(named):
        chosen = np.isin(run.series, numbers)
        run = SampleRun(series=run.series[chosen], at=run.at[chosen], values=run.values[chosen])
    return labels, run


def _on_instants(
    *, labels: LabelsOf, run: SampleRun, instants: NDArray[np.float64]
) -> Iterator[Samples]:
    """Yield each series at the instants at which it has a value."""
    if not len(run) or not len(instants):
        return
    wanted = np.round(instants * MILLI).astype(np.int64)
    base = min(int(run.at.min()), int(wanted[0]))
    span = max(int(run.at.max()), int(wanted[-1])) - base + 1
    numbers, rows = np.unique(run.series, return_inverse=True)
    # Series after series on one axis, so that one search finds the newest sample of each.
    axis = rows * span + (run.at - base)
    asked = np.arange(len(numbers))[:, None] * span + (wanted - base)
    place = np.searchsorted(axis, asked, side="right") - 1
    place_or_first = np.maximum(place, 0)
    has_value = (place >= 0) & (rows[place_or_first] == np.arange(len(numbers))[:, None])
    has_value &= wanted - run.at[place_or_first] < LOOKBACK_SECONDS * MILLI
    has_value &= ~is_stale(run.values)[place_or_first]
    values = run.values[place_or_first]
    is_whole, is_there = has_value.all(axis=1).tolist(), has_value.any(axis=1).tolist()
    for row, number in enumerate(numbers.tolist()):
        if is_whole[row]:
            yield Samples(labels=labels[number], at=instants, values=values[row])
        elif is_there[row]:
            chosen = has_value[row]
            yield Samples(labels=labels[number], at=instants[chosen], values=values[row][chosen])


def _spans(numbers: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Yield each series of ordered samples with where its samples begin and end."""
    edges = [*np.flatnonzero(np.diff(numbers, prepend=-1)).tolist(), len(numbers)]
    for first, last in pairwise(edges):
        yield int(numbers[first]), first, last
