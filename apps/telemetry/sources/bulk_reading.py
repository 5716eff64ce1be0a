"""Many metric names of one server in few answers, each small enough for the server and for us.

Names are asked for in groups by how many series they have; what is too much for one answer is cut
by time, then by the `instance` that was scraped. A refusal for size, or an answer that takes too
long, halves the question. Two answers are under way at once: one is sent while one is read.
"""

import re
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Protocol

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.diagnosis.detection.metrics.selectors import write_selector
from apps.telemetry.sources.errors import Overloaded, QueryFailed, SourceUnreachable, TooMuch
from apps.telemetry.sources.matrix import Matrix, columns_of
from apps.telemetry.sources.prometheus import MAX_POINTS, PrometheusSource

# An answer of this size is read in a tenth of a second and parsed in as long.
ANSWER_BYTES: Final = 8 * 2**20
# What one series and one sample take in an answer, about.
SERIES_BYTES: Final = 320
SAMPLE_BYTES: Final = 25
# A name of which nobody knows how many series it has.
USUAL_COUNT: Final = 500
MOST_NAMES: Final = 100
CONNECTIONS: Final = 2
# A server that is this often too slow in one reading is left alone until the next.
MOST_OVERLOADS: Final = 4
SHARD_LABEL: Final = "instance"
# Newer servers allow any text as a name; what a stranger named must not become PromQL.
PLAIN_NAME: Final = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*", re.ASCII)


class Client(Protocol):
    """What reading asks of whoever answers for a source."""

    sample_count: int
    warning: str

    def metric_names(self, *, starts_at: float, ends_at: float) -> frozenset[str]:
        """Return the names that had samples in a span."""

    def matrix(self, *, query: str, grid: Grid) -> list[Samples]:
        """Return the series of a selector on a grid."""

    def series_counts(self, *, query: str, at: float) -> dict[str, int]:
        """Return how many series each metric of a selector has at an instant."""

    def types(self) -> dict[str, str]:
        """Return what type each metric is said to have, where anybody said it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question: names under one matcher, on a grid, of all or of some scraped instances."""

    names: tuple[str, ...]
    grid: Grid
    match: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    instances: tuple[str, ...] = ()
    channel: int = 0  # the caller's own mark

    @property
    def query(self) -> str:
        """Return the question in PromQL."""
        match = dict(self.match)
        if self.instances:
            match[SHARD_LABEL] = "~" + "|".join(map(re.escape, self.instances))
        if len(self.names) == 1 and PLAIN_NAME.fullmatch(self.names[0]):
            return write_selector(metric=self.names[0], match=match)
        names = "~" + "|".join(map(re.escape, self.names))
        return write_selector(metric="", match={"__name__": names, **match})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeriesAnswer:
    """What became of a question: its series, or why there are none."""

    ask: Ask
    matrix: Matrix | None = None
    is_refused: bool = False  # otherwise it was left out, for lack of time


def planned(
    *,
    names: Sequence[str],
    grid: Grid,
    counts: Mapping[str, int],
    match: Mapping[str, str],
    channel: int = 0,
) -> list[Ask]:
    """Return the questions for names, in their order; together they ask for everything once."""
    asks: list[Ask] = []
    group: list[str] = []
    size = 0
    per_series = SERIES_BYTES + SAMPLE_BYTES * grid.count
    for name in names:
        expected = counts.get(name, USUAL_COUNT) * per_series
        if group and (size + expected > ANSWER_BYTES or len(group) >= MOST_NAMES):
            asks += _in_time(tuple(group), grid, size, match, channel)
            group, size = [], 0
        group.append(name)
        size += expected
    return asks + (_in_time(tuple(group), grid, size, match, channel) if group else [])


def _in_time(
    names: tuple[str, ...], grid: Grid, size: int, match: Mapping[str, str], channel: int
) -> list[Ask]:
    points = max(1, min(MAX_POINTS, grid.count, grid.count * ANSWER_BYTES // max(size, 1)))
    return [
        Ask(names=names, grid=part, match=match, channel=channel)
        for part in slices(grid=grid, points=points)
    ]


def slices(*, grid: Grid, points: int) -> list[Grid]:
    """Return a grid in parts of at most so many instants."""
    return [
        Grid(
            start=grid.start + first * grid.step,
            step=grid.step,
            count=min(points, grid.count - first),
        )
        for first in range(0, grid.count, points)
    ]


def counted(*, client: Client, asks: Sequence[Ask]) -> dict[str, int]:
    """Return how many series each name has at the end of its grid, where the server tells."""
    counts: dict[str, int] = {}
    for ask in asks:
        try:
            counts |= client.series_counts(query=ask.query, at=ask.grid.end)
        except (QueryFailed, SourceUnreachable):
            continue
    return counts


def answers(*, client: Client, asks: Sequence[Ask], ends_at: float) -> Iterator[SeriesAnswer]:
    """Yield an answer to each question, smaller ones where one was too big, until time is up.

    `ends_at` is in seconds of the monotonic clock. Raises SourceUnreachable.
    """
    if isinstance(client, PrometheusSource):
        yield from _of_server(client, asks, ends_at)
        return
    for ask in asks:
        if time.monotonic() > ends_at:
            yield SeriesAnswer(ask=ask)
        else:
            series = client.matrix(query=ask.query, grid=ask.grid)
            yield SeriesAnswer(ask=ask, matrix=columns_of(series))


def _of_server(
    client: PrometheusSource, asks: Sequence[Ask], ends_at: float
) -> Iterator[SeriesAnswer]:
    reading = _Reading(client=client, asks=asks, ends_at=ends_at)
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        while reading.begin(pool):
            answer = reading.settle()
            if answer is not None:
                yield answer
    yield from reading.rest()


class _Reading:
    """Questions that wait, those that are under way, and how the server bore it so far."""

    def __init__(self, *, client: PrometheusSource, asks: Sequence[Ask], ends_at: float) -> None:
        self._client, self._ends_at = client, ends_at
        self._waiting = deque(asks)
        self._running: deque[tuple[Ask, Future[bytes]]] = deque()
        self._overloads: list[Overloaded] = []
        self._is_answered = False

    def begin(self, pool: ThreadPoolExecutor) -> bool:
        """Ask as many as may be under way; say whether any is."""
        while (
            self._waiting and len(self._running) < CONNECTIONS and time.monotonic() < self._ends_at
        ):
            ask = self._waiting.popleft()
            self._running.append((ask, pool.submit(_fetch, self._client, ask, self._ends_at)))
        return bool(self._running)

    def settle(self) -> SeriesAnswer | None:
        """Return the oldest answer under way; nothing where smaller questions take its place."""
        ask, future = self._running.popleft()
        try:
            matrix = self._client.take(future.result())
        except Overloaded as error:
            self._overloads.append(error)
            if len(self._overloads) >= MOST_OVERLOADS:
                raise
            return self._cut(ask)
        except TooMuch:
            return self._cut(ask)
        except QueryFailed:
            return SeriesAnswer(ask=ask, is_refused=True)
        self._is_answered = True
        return SeriesAnswer(ask=ask, matrix=matrix)

    def rest(self) -> Iterator[SeriesAnswer]:
        """Yield what there was no time for; raise where the server never answered at all."""
        if self._overloads and not self._is_answered:
            raise self._overloads[-1]
        for ask in self._waiting:
            yield SeriesAnswer(ask=ask)

    def _cut(self, ask: Ask) -> SeriesAnswer | None:
        smaller = _smaller(self._client, ask)
        self._waiting.extendleft(reversed(smaller))
        return None if smaller else SeriesAnswer(ask=ask, is_refused=True)


def _fetch(client: PrometheusSource, ask: Ask, ends_at: float) -> bytes:
    # Whoever was begun may be a little late.
    seconds = min(client.read_seconds, max(1.0, ends_at - time.monotonic()))
    return client.fetch(query=ask.query, grid=ask.grid, seconds=seconds)


def _smaller(client: PrometheusSource, ask: Ask) -> list[Ask]:
    """Return the same question in two or more parts; nothing where it can't be cut."""
    if len(ask.names) > 1:
        half = len(ask.names) // 2
        return [replace(ask, names=names) for names in (ask.names[:half], ask.names[half:])]
    if len(ask.instances) > 1:
        half = len(ask.instances) // 2
        return [
            replace(ask, instances=part) for part in (ask.instances[:half], ask.instances[half:])
        ]
    # In a short span the labels are most of an answer, in a long one the samples.
    is_short = ask.grid.count * SAMPLE_BYTES <= SERIES_BYTES
    shards = _by_instance(client, ask) if is_short and not ask.instances else []
    if shards or ask.grid.count <= 1:
        return shards
    points = (ask.grid.count + 1) // 2
    return [replace(ask, grid=part) for part in slices(grid=ask.grid, points=points)]


def _by_instance(client: PrometheusSource, ask: Ask) -> list[Ask]:
    try:
        counts = client.counts(query=ask.query, by=SHARD_LABEL, at=ask.grid.end)
    except QueryFailed:
        return []
    shards: list[Ask] = []
    part: list[str] = []
    size = 0
    for instance, count in sorted(counts.items()):
        expected = count * (SERIES_BYTES + SAMPLE_BYTES * ask.grid.count)
        if part and size + expected > ANSWER_BYTES:
            shards.append(replace(ask, instances=tuple(part)))
            part, size = [], 0
        part.append(instance)
        size += expected
    shards += [replace(ask, instances=tuple(part))] if part else []
    if len(shards) == 1 and len(part) > 1:
        return _smaller(client, shards[0])
    return shards if len(shards) > 1 else []
