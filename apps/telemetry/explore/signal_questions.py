"""Signals of the catalog, asked of one's own source by host and GPU."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.detection.metrics.selectors import write_selector
from apps.diagnosis.model import Device, Frame, Query, Semantics, Signal
from apps.telemetry.explore.refusals import told_plainly
from apps.telemetry.explore.source_questions import (
    MOST_SERIES,
    AskedSource,
    Client,
    asked_source,
    client_for,
    instants,
)
from apps.telemetry.explore.values import (
    MetricAnswer,
    MetricSeries,
    MetricSpan,
    QueryRefusal,
    QuestionRefused,
)
from apps.telemetry.metrics.pulls import signal_reading
from apps.telemetry.metrics.series_index import SeriesRoll, WantedSeries
from apps.tenancy.access import Actor

# More of one name are asked for by host alone.
MOST_UNNAMED: Final = 4_000
SECONDS: Final = 6.0


def ask_signal(
    *,
    actor: Actor,
    source: str,
    signal: str,
    span: MetricSpan,
    host: str = "",
    gpu: int | None = None,
) -> MetricAnswer:
    """Return a signal of a source; raise NotFound, QuestionRefused. Opens its own scope.

    A counter is answered as its growth a second.
    """
    grid = span.grid()
    meant = catalog().signals.get(signal)
    if meant is None:
        raise QuestionRefused(QueryRefusal.NO_SIGNAL)
    asked = asked_source(actor=actor, source=source)
    with client_for(asked.row) as client, told_plainly(source=asked.row.name, query=signal):
        query, found = _found(client, asked, meant, grid, host)
        warning = client.warning
    rows = [row for frame in found for row in _rows(frame, host=host, gpu=gpu)]
    if not rows:
        raise QuestionRefused(QueryRefusal.NOT_SERVED)
    is_counter = meant.semantics is Semantics.COUNTER
    return MetricAnswer(
        promql=_promql(meant, query, grid),
        unit=f"{meant.unit}/s" if is_counter else meant.unit,
        at=instants(grid),
        step=grid.step,
        series=tuple(rows[:MOST_SERIES]),
        more_count=max(0, len(rows) - MOST_SERIES),
        warning=warning,
        is_simulated=asked.row.is_simulated,
    )


def _found(
    client: Client, asked: AskedSource, signal: Signal, grid: Grid, host: str
) -> tuple[Query, Sequence[Frame]]:
    """Return the first of a signal's names that the source has, and what it says."""
    told = signal_reading.with_told_hosts(
        client=client,
        names=asked.names,
        metric_names=frozenset({signal_reading.UNAME}),
        at=grid.end,
    )
    for query in signal.queries:
        for narrowed in _narrowed(client, signal, query, grid, host):
            roll = SeriesRoll(
                wanted=[WantedSeries(signal=signal, query=narrowed)],
                label_map=told.label_map,
                aliases=told.aliases,
            )
            limits = signal_reading.ReadingLimits(seconds=SECONDS)
            reading = signal_reading.read_rolled(client=client, roll=roll, grid=grid, limits=limits)
            if reading.left_out:
                raise QuestionRefused(QueryRefusal.TOO_SLOW)
            if any(frame.entities for frame in reading.frames):
                return narrowed, reading.frames
    raise QuestionRefused(QueryRefusal.NOT_SERVED)


def _narrowed(client: Client, signal: Signal, query: Query, grid: Grid, host: str) -> list[Query]:
    """Return a query as it is, or by the labels that may name the host where there are too many."""
    text = write_selector(metric=query.metric, match=query.match)
    count = sum(client.series_counts(query=text, at=grid.end).values())
    if count <= MOST_UNNAMED:
        return [query]
    if not host:
        raise QuestionRefused(QueryRefusal.TOO_MANY)
    spelt = "~" + re.escape(host) + r"(\..*)?(:[0-9]+)?"
    return [
        Query(metric=query.metric, match={**query.match, label: spelt}, scale=query.scale)
        for label in catalog().labels[signal.exporter].host
    ]


def _rows(frame: Frame, *, host: str, gpu: int | None) -> list[MetricSeries]:
    """Return the lines of a frame that are asked for, by name."""
    values = np.asarray(frame.values, dtype=np.float64)
    if frame.signal.semantics is Semantics.COUNTER:
        values = stats.increases(values) / frame.step
    details = frame.details or ("",) * len(frame.entities)
    rows = [
        MetricSeries(labels=_labels(entity, detail), values=line, entity=entity, detail=detail)
        for entity, detail, line in zip(frame.entities, details, values, strict=True)
        if (not host or entity.host == host) and (gpu is None or entity.index == gpu)
    ]
    return sorted(rows, key=_place)


def _place(row: MetricSeries) -> tuple[str, int, str, str]:
    entity = row.entity or Device(kind="")
    index = -1 if entity.index is None else entity.index
    return entity.host or "", index, entity.name or "", row.detail


def _labels(entity: Device, detail: str) -> dict[str, str]:
    told = {
        "host": entity.host or "",
        "kind": entity.kind,
        "gpu": "" if entity.index is None else str(entity.index),
        "name": entity.name or "",
        "operation": detail,
    }
    return {key: value for key, value in told.items() if value}


def _promql(signal: Signal, query: Query, grid: Grid) -> str:
    text = write_selector(metric=query.metric, match=query.match)
    if signal.semantics is Semantics.COUNTER:
        text = f"rate({text}[{max(60, round(2 * grid.step))}s])"
    return text if query.scale == 1.0 else f"{text} * {query.scale:g}"
