"""What parts measured at one instant: of each the newest value, with its age."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Semantics
from apps.telemetry.fleet_metrics.minute_bodies import Floats, Part, part_order, values_of
from apps.telemetry.fleet_metrics.minute_rows import lists_by_id
from apps.telemetry.models import MetricMinute

# What is older says nothing of the instant.
FRESH: Final = timedelta(minutes=5)
# A counter is compared with what it was before, at the most so long ago.
BEFORE: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricMoment:
    """Values of parts in their order; NaN where nobody told. Counters as growth a second."""

    parts: tuple[Part, ...]
    values: Floats
    ages: Floats  # seconds before the instant; NaN where there is no value

    def only(self, kept: Sequence[int]) -> "MetricMoment":
        """Return some of the parts alone, by their places."""
        return MetricMoment(
            parts=tuple(self.parts[each] for each in kept),
            values=self.values[list(kept)],
            ages=self.ages[list(kept)],
        )


NOTHING: Final = MetricMoment(parts=(), values=np.empty(0), ages=np.empty(0))


def moment_of(*, organization_id: int, cluster_id: int, signal: str, at: datetime) -> MetricMoment:
    """Return what an organization's sources told of a signal. Needs its scope."""
    is_counter = catalog().signals[signal].semantics is Semantics.COUNTER
    since = at - (BEFORE if is_counter else FRESH)
    rows = MetricMinute.objects.for_organization(organization_id).filter(
        cluster=cluster_id, signal=signal, at__gt=since, at__lte=at
    )
    found = list(rows.order_by("source", "at").values_list("source", "at", "parts", "body"))
    if not found:
        return NOTHING
    lists = lists_by_id(organization_id, {parts for _, _, parts, _ in found})
    by_source: dict[int, list[tuple[datetime, tuple[Part, ...], Floats]]] = {}
    for source, minute, parts, body in found:
        by_source.setdefault(source, []).append((minute, lists[parts], values_of(body)))
    told = [_of_source(each, at, is_counter=is_counter) for each in by_source.values()]
    return told[0] if len(told) == 1 else _joined(told)


def _of_source(
    minutes: Sequence[tuple[datetime, tuple[Part, ...], Floats]], at: datetime, *, is_counter: bool
) -> MetricMoment:
    parts = _all_parts([each for _, each, _ in minutes])
    first = minutes[0][0]
    count = round((minutes[-1][0] - first).total_seconds() / 60) + 1
    table = np.full((len(parts), count), np.nan)
    places = {part: row for row, part in enumerate(parts)}
    for minute, some, values in minutes:
        rows = slice(None) if some == parts else [places[each] for each in some]
        table[rows, round((minute - first).total_seconds() / 60)] = values
    told = stats.rates(table, 60.0) if is_counter else table
    ages: Floats = (at - first).total_seconds() - 60.0 * np.arange(count, dtype=np.float64)
    told = np.where(ages[None, :] < FRESH.total_seconds(), told, np.nan)
    return _newest(parts, told, ages)


def _newest(parts: tuple[Part, ...], told: Floats, ages: Floats) -> MetricMoment:
    known = ~np.isnan(told)
    last = told.shape[1] - 1 - np.argmax(known[:, ::-1], axis=1)
    rows = np.arange(len(parts))
    return MetricMoment(
        parts=parts,
        values=told[rows, last],
        ages=np.where(known.any(axis=1), ages[last], np.nan),
    )


def _all_parts(lists: Sequence[tuple[Part, ...]]) -> tuple[Part, ...]:
    distinct = set(lists)
    if len(distinct) == 1:
        return lists[0]
    return tuple(sorted(set[Part]().union(*distinct), key=part_order))


def _joined(moments: Sequence[MetricMoment]) -> MetricMoment:
    """Return several sources as one: of a part that two tell of, the newest value."""
    best: dict[Part, tuple[float, float]] = {}
    for each in moments:
        for part, value, age in zip(
            each.parts, each.values.tolist(), each.ages.tolist(), strict=True
        ):
            known = best.get(part)
            if known is None or np.isnan(known[1]) or age < known[1]:
                best[part] = (value, age)
    parts = tuple(sorted(best, key=part_order))
    cells = np.array([best[part] for part in parts])
    return MetricMoment(parts=parts, values=cells[:, 0], ages=cells[:, 1])


def signals_between(
    *, organization_id: int, cluster_id: int, since: datetime, until: datetime
) -> frozenset[str]:
    """Return which signals of the catalog were told of in a span. Needs the owner's scope."""
    rows = MetricMinute.objects.for_organization(organization_id).filter(
        cluster=cluster_id, at__gt=since, at__lte=until
    )
    names = rows.order_by().values_list("signal", flat=True).distinct()
    return frozenset(names) & catalog().signals.keys()
