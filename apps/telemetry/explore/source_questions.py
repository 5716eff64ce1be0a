"""Questions to one's own sources, within limits of time and size.

They open scopes of their own and close them before anything goes out: nobody holds a transaction
while a server thinks.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.fleet.hosts.host_names import alias_table
from apps.telemetry.explore.refusals import told_plainly
from apps.telemetry.explore.values import (
    MetricAnswer,
    MetricSeries,
    MetricSpan,
    QueryRefusal,
    QuestionRefused,
)
from apps.telemetry.metrics.pulls.signal_reading import Names
from apps.telemetry.metrics.source_access import access_source
from apps.telemetry.models import Source
from apps.telemetry.samples.accept import KIND
from apps.telemetry.samples.window.window_reading import PushedWindow
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.telemetry.sources.stored_source import address_of
from apps.tenancy.access import Actor
from apps.tenancy.scope import organization_scope

READ_SECONDS: Final = 5.0
MOST_QUERY_LETTERS: Final = 2_000
MOST_SERIES: Final = 50
Client = PrometheusSource | PushedWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSource:
    """A source of the actor's organization that is about to be asked."""

    row: Source
    names: Names


def ask_promql(*, actor: Actor, source: str, query: str, span: MetricSpan) -> MetricAnswer:
    """Return what a source answers; raise NotFound, QuestionRefused. Opens its own scope."""
    grid = span.grid()
    query = query.strip()
    if not query or len(query) > MOST_QUERY_LETTERS:
        raise QuestionRefused(QueryRefusal.TOO_LONG)
    asked = asked_source(actor=actor, source=source)
    with client_for(asked.row) as client, told_plainly(source=asked.row.name, query=query):
        found = client.matrix(query=query, grid=grid)
    shown = sorted(found, key=lambda each: sorted(each.labels.items()))[:MOST_SERIES]
    return MetricAnswer(
        promql=query,
        unit="",
        at=instants(grid),
        step=grid.step,
        series=tuple(_series(each, grid) for each in shown),
        more_count=len(found) - len(shown),
        warning=client.warning,
        is_simulated=asked.row.is_simulated,
    )


def asked_source(*, actor: Actor, source: str) -> AskedSource:
    """Return a source of the actor's organization; raise NotFound. Opens its own scope."""
    with organization_scope(actor.organization.pk):
        row = access_source(actor=actor, public_id=source)
        aliases = alias_table(cluster_id=row.cluster_id, reader_id=row.organization_id)
    return AskedSource(row=row, names=Names(label_map=row.label_map, aliases=aliases))


@contextmanager
def client_for(source: Source) -> Iterator[Client]:
    """Open a conversation with a source; raise QuestionRefused where it can't begin."""
    if source.kind == KIND:
        yield PushedWindow(source=source)
        return
    with told_plainly(source=source.name, query=""):
        client = PrometheusSource(address=address_of(source=source), read_seconds=READ_SECONDS)
    with client:
        yield client


def instants(grid: Grid) -> NDArray[np.float64]:
    """Return the instants of a grid in Unix seconds."""
    return grid.start + grid.step * np.arange(grid.count, dtype=np.float64)


def _series(samples: Samples, grid: Grid) -> MetricSeries:
    values = np.full(grid.count, np.nan)
    place = np.round((samples.at - grid.start) / grid.step).astype(np.int64)
    inside = (place >= 0) & (place < grid.count)
    values[place[inside]] = samples.values[inside]
    return MetricSeries(labels=dict(samples.labels), values=values)
