"""Many metric names of one server in few answers, each small enough for the server and for us.

Names are asked for in groups by how many series they have; what is too much for one answer is cut
by time, then by the `instance` that was scraped. A refusal for size, or an answer that takes too
long, halves the question. Two answers are under way at once: one is sent while one is read.
"""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Protocol

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.telemetry.sources.errors import Overloaded, QueryFailed, SourceUnreachable, TooMuch
from apps.telemetry.sources.matrix import Matrix, columns_of
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.telemetry.sources.read_plan import Ask, smaller_asks

CONNECTIONS: Final = 2
# A server that is this often too slow in one reading is left alone until the next.
MOST_OVERLOADS: Final = 4


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeriesAnswer:
    """What became of a question: its series, or why there are none."""

    ask: Ask
    matrix: Matrix | None = None
    is_refused: bool = False  # otherwise it was left out, for lack of time


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
        smaller = smaller_asks(self._client, ask)
        self._waiting.extendleft(reversed(smaller))
        return None if smaller else SeriesAnswer(ask=ask, is_refused=True)


def _fetch(client: PrometheusSource, ask: Ask, ends_at: float) -> bytes:
    # Whoever was begun may be a little late.
    seconds = min(client.read_seconds, max(1.0, ends_at - time.monotonic()))
    return client.fetch(query=ask.query, grid=ask.grid, seconds=seconds)
