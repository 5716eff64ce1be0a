"""What parts measured over a span of minutes: at each the newest value that is not too old."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Final

import numpy as np
from django.db.models import QuerySet

from apps.diagnosis import stats
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Semantics
from apps.telemetry.fleet_metrics.minute_bodies import Floats, Part, part_order, values_of
from apps.telemetry.fleet_metrics.minute_rows import lists_by_id
from apps.telemetry.fleet_metrics.moments import BEFORE, FRESH
from apps.telemetry.models import MetricMinute

MINUTE: Final = timedelta(minutes=1)
SECONDS: Final = MINUTE.total_seconds()
# Of 16,384 parts eight megabytes at a time.
COLUMNS_AT_ONCE: Final = 60
FRESH_COLUMNS: Final = FRESH // MINUTE  # an age of so many minutes is too old


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MinuteSpan:
    """Values of parts at instants: one row a part, one column an instant; NaN where nobody told.

    Counters as growth a second.
    """

    at: tuple[datetime, ...]
    parts: tuple[Part, ...]
    values: Floats


def spans_of(
    *, organization_id: int, cluster_id: int, signal: str, instants: Sequence[datetime]
) -> Iterator[MinuteSpan]:
    """Yield what an organization's sources told at full minutes evenly apart, some at a time.

    Further than a minute apart only the newest minute before each is read: a part that it lacks has
    no value. Needs its scope.
    """
    is_sparse = len(instants) > 1 and instants[1] - instants[0] > MINUTE
    stored = _Stored(organization_id=organization_id, cluster_id=cluster_id, signal=signal)
    for begin in range(0, len(instants), COLUMNS_AT_ONCE):
        some = instants[begin : begin + COLUMNS_AT_ONCE]
        yield _sparse(stored, some) if is_sparse else _dense(stored, some)


def part_count(
    *, organization_id: int, cluster_id: int, signal: str, since: datetime, until: datetime
) -> int:
    """Return how many parts the newest minute of a span speaks of; nought where there is none."""
    row = (
        MetricMinute.objects.for_organization(organization_id)
        .filter(cluster=cluster_id, signal=signal, at__gt=since, at__lte=until)
        .order_by("-at", "-id")
        .values_list("parts", flat=True)
        .first()
    )
    return 0 if row is None else len(lists_by_id(organization_id, {row})[row])


def newest_minute(
    *, organization_id: int, cluster_id: int, signal: str, until: datetime
) -> datetime | None:
    """Return the last minute before an instant that anything was told of. Needs the scope."""
    rows = MetricMinute.objects.for_organization(organization_id).filter(
        cluster=cluster_id, signal=signal, at__lte=until
    )
    return rows.order_by("-at", "-id").values_list("at", flat=True).first()


_Minute = tuple[datetime, tuple[Part, ...], Floats]


@dataclass(slots=True, kw_only=True)
class _Stored:
    """One signal's stored minutes, and the lists of parts that were read."""

    organization_id: int
    cluster_id: int
    signal: str
    lists: dict[int, tuple[Part, ...]] = field(default_factory=dict)

    @property
    def is_counter(self) -> bool:
        return catalog().signals[self.signal].semantics is Semantics.COUNTER

    def times(self, since: datetime, until: datetime) -> dict[int, list[tuple[datetime, int]]]:
        """Return source → (end of the minute, row), in order."""
        found: dict[int, list[tuple[datetime, int]]] = {}
        for source, at, row in self._rows.filter(at__gt=since, at__lte=until).values_list(
            "source", "at", "pk"
        ):
            found.setdefault(source, []).append((at, row))
        return found

    def bodies(self, rows: Collection[int]) -> dict[int, tuple[tuple[Part, ...], Floats]]:
        """Return row → its parts and values."""
        found = list(self._rows.filter(pk__in=rows).values_list("pk", "parts", "body"))
        missing = {parts for _, parts, _ in found} - self.lists.keys()
        if missing:
            self.lists.update(lists_by_id(self.organization_id, missing))
        return {row: (self.lists[parts], values_of(body)) for row, parts, body in found}

    @property
    def _rows(self) -> QuerySet[MetricMinute]:
        own = MetricMinute.objects.for_organization(self.organization_id)
        return own.filter(cluster=self.cluster_id, signal=self.signal).order_by("source", "at")


def _dense(stored: _Stored, instants: Sequence[datetime]) -> MinuteSpan:
    since, until = instants[0] - (BEFORE if stored.is_counter else FRESH), instants[-1]
    times = stored.times(since, until)
    bodies = stored.bodies([row for some in times.values() for _, row in some])
    parts = _parts(bodies)
    count = round((until - since) / MINUTE)
    columns = [round((each - since) / MINUTE) - 1 for each in instants]
    values = np.full((len(parts), len(columns)), np.nan)
    ages = np.full(values.shape, np.inf)
    for some in times.values():
        table = _table(parts, [(at, *bodies[row]) for at, row in some], since, count)
        told, age = _newest(stats.rates(table, SECONDS) if stored.is_counter else table)
        # Of a part that two sources tell of, the newest value.
        newer = age[:, columns] < ages
        values = np.where(newer, told[:, columns], values)
        ages = np.where(newer, age[:, columns], ages)
    return MinuteSpan(at=tuple(instants), parts=parts, values=values)


def _sparse(stored: _Stored, instants: Sequence[datetime]) -> MinuteSpan:
    times = stored.times(instants[0] - BEFORE, instants[-1])
    chosen = [
        (column, rows)
        for some in times.values()
        for column, at in enumerate(instants)
        if (rows := _last(some, at, pair=stored.is_counter))
    ]
    bodies = stored.bodies({row for _, rows in chosen for _, row in rows})
    parts = _parts(bodies)
    places = {part: row for row, part in enumerate(parts)}
    indexes = {some: np.array([places[each] for each in some]) for some, _ in bodies.values()}
    values = np.full((len(parts), len(instants)), np.nan)
    # The newest minute of several sources is written last.
    for column, rows in sorted(chosen, key=lambda each: each[1][-1]):
        if stored.is_counter:
            told = np.full((len(parts), 2), np.nan)
            for place, (_, row) in enumerate(rows):
                told[indexes[bodies[row][0]], place] = bodies[row][1]
            grown = stats.rates(told, (rows[1][0] - rows[0][0]).total_seconds())[:, 1]
        else:
            grown = np.full(len(parts), np.nan)
            some, found = bodies[rows[0][1]]
            grown[indexes[some]] = found
        values[:, column] = np.where(np.isnan(grown), values[:, column], grown)
    return MinuteSpan(at=tuple(instants), parts=parts, values=values)


def _last(
    some: Sequence[tuple[datetime, int]], at: datetime, *, pair: bool
) -> Sequence[tuple[datetime, int]]:
    """Return the newest minute before an instant, with the one before where two are needed."""
    end = bisect_right(some, at, key=itemgetter(0))
    if not end or some[end - 1][0] <= at - FRESH:
        return ()
    if not pair:
        return some[end - 1 : end]
    return some[end - 2 : end] if end > 1 else ()


def _parts(bodies: Mapping[int, tuple[tuple[Part, ...], Floats]]) -> tuple[Part, ...]:
    distinct = {some for some, _ in bodies.values()}
    if len(distinct) == 1:
        return next(iter(distinct))
    return tuple(sorted({part for some in distinct for part in some}, key=part_order))


def _table(
    parts: tuple[Part, ...],
    minutes: Sequence[tuple[datetime, tuple[Part, ...], Floats]],
    since: datetime,
    count: int,
) -> Floats:
    table = np.full((len(parts), count), np.nan)
    places = {part: row for row, part in enumerate(parts)}
    rows: dict[tuple[Part, ...], list[int] | slice] = {parts: slice(None)}
    for minute, some, values in minutes:
        if some not in rows:
            rows[some] = [places[each] for each in some]
        table[rows[some], round((minute - since) / MINUTE) - 1] = values
    return table


def _newest(told: Floats) -> tuple[Floats, Floats]:
    """Return of each cell the newest value up to it, and its age in minutes; none too old."""
    columns = np.arange(told.shape[1])
    last = np.maximum.accumulate(np.where(np.isnan(told), -1, columns), axis=1)
    age = np.where(last < 0, np.inf, columns - last)
    age = np.where(age < FRESH_COLUMNS, age, np.inf)
    newest = np.take_along_axis(told, np.maximum(last, 0), axis=1)
    return np.where(np.isinf(age), np.nan, newest), age
