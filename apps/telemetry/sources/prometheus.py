"""Prometheus-compatible servers (also Mimir, Thanos, VictoriaMetrics): the only reads of metrics.

`prometheus_api_client` knows no limits of time and size, retries no POST and escapes no label:
discovery and health go through it on a guarded session, bulk reads use that session directly.
"""

import math
from types import TracebackType
from typing import Final, Self

import orjson
from prometheus_api_client import PrometheusConnect
from prometheus_api_client.exceptions import PrometheusApiClientException

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.telemetry.sources import answer_checks
from apps.telemetry.sources import matrix as answers
from apps.telemetry.sources.address import Address
from apps.telemetry.sources.connection import TROUBLE, SourceConnection
from apps.telemetry.sources.errors import QueryFailed, SourceUnreachable
from apps.telemetry.sources.instants import second_text
from apps.telemetry.sources.retry import http_words

# A server answers 400 for more points of one series in one answer.
MAX_POINTS: Final = 11_000
# A server that says it is further behind is wrong about something else.
MOST_HELD_BACK: Final = 3600.0
READ_SECONDS: Final = 10.0


class PrometheusSource:
    """One conversation with a server; close it, or use it as a context manager."""

    def __init__(self, *, address: Address, read_seconds: float = READ_SECONDS) -> None:
        self.sample_count = 0
        self.warning = ""  # the first one: a federated server that lacks a part still says success
        self._server = SourceConnection(
            address=address,
            read_seconds=read_seconds,
            check=answer_checks.check_names,  # the client parses what it is given
        )
        self._client = PrometheusConnect(
            url=self._server.url,
            session=self._server.session,
            timeout=self._server.timeout,
            method="POST",
        )

    @property
    def read_seconds(self) -> float:
        """How long an answer may take."""
        return self._server.timeout[1]

    @property
    def clock_ahead(self) -> float | None:
        """Seconds by which the server's clock is before ours, once it has answered."""
        return self._server.clock_ahead

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
        """Close the connections."""
        self._server.session.close()

    def metric_names(self, *, starts_at: float, ends_at: float) -> frozenset[str]:
        """Return the names that had samples in a span: discovery, and the health of the source."""
        return self.label_values("__name__", starts_at=starts_at, ends_at=ends_at)

    def label_values(self, label: str, *, starts_at: float, ends_at: float) -> frozenset[str]:
        """Return the values that a label had in a span; raise SourceUnreachable."""
        params = {"start": second_text(starts_at), "end": second_text(ends_at)}
        try:
            names = self._client.get_label_values(label, params=params)
        except PrometheusApiClientException as error:
            raise self._server.unreachable(http_words(str(error))) from error
        except (KeyError, TypeError, ValueError) as error:
            raise self._server.unreachable("the answer is not the Prometheus HTTP API's") from error
        except answer_checks.AnswerUnreadable as error:
            raise self._server.unreachable(f"the answer is {error}") from error
        except TROUBLE as error:
            raise self._server.unreachable(self._server.words(error)) from error
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self._server.unreachable(f"the answer is no list of values of {label}")
        return frozenset(names)

    def matrix(self, *, query: str, grid: Grid) -> list[Samples]:
        """Return the series of a query on a grid, in slices below the server's limit."""
        series: list[Samples] = []
        for part in _slices(grid):
            series += self.take(self.fetch(query=query, grid=part)).series()
        return series

    def raw(self, *, query: str, seconds: float, at: float) -> list[Samples]:
        """Return the stored samples of a selector in the span before `at`, with their own times."""
        span = f"{query}[{math.ceil(seconds)}s]"
        return self.take(
            self._server.post("query", {"query": span, "time": second_text(at)})
        ).series()

    def counts(self, *, query: str, by: str, at: float) -> dict[str, int]:
        """Return how many series of a selector an instant has, by the values of a label."""
        form = {"query": f"count by ({by}) ({query})", "time": second_text(at)}
        try:
            entries = answer_checks.results(self._server.post("query", form), kind="vector")
            return {str(each["metric"].get(by, "")): int(each["value"][1]) for each in entries}
        except answer_checks.QueryRefused as error:
            raise QueryFailed(f"{self._server.name}: {error}") from error
        except (
            answer_checks.AnswerUnreadable,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ) as bad:
            raise self._server.unreachable("the answer is no vector of numbers") from bad

    def series_counts(self, *, query: str, at: float) -> dict[str, int]:
        """Return how many series each metric of a selector has at an instant."""
        return self.counts(query=query, by="__name__", at=at)

    def newest(self, *, at: float) -> float:
        """Return the latest instant that the server answers for, `at` where it says no other.

        VictoriaMetrics holds back what is younger than its `latencyOffset`: a range that ends later
        has a value from before repeated at its end, or no series at all. Asked for the time of an
        instant, it tells the one that it takes instead, behind any proxy, too.
        """
        form = {"query": "vector(time())", "time": second_text(at)}
        try:
            (entry,) = answer_checks.results(self._server.post("query", form), kind="vector")
            told = float(entry["value"][1])
        except (
            *(
                answer_checks.AnswerUnreadable,
                answer_checks.QueryRefused,
                QueryFailed,
                SourceUnreachable,
            ),
            *(LookupError, TypeError, ValueError),
        ):
            return at
        return told if 0 < at - told < MOST_HELD_BACK else at

    def types(self) -> dict[str, str]:
        """Return what type each metric is said to have; nothing where the server can't tell."""
        try:
            body = self._server.get("metadata")
            answer_checks.check_answer(body)
            told = orjson.loads(body)["data"]
            return {name: str(rows[0]["type"]) for name, rows in told.items() if rows}
        except (
            *TROUBLE,
            answer_checks.AnswerUnreadable,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ):
            return {}

    def fetch(self, *, query: str, grid: Grid, seconds: float | None = None) -> bytes:
        """Return the answer to a query on a grid as it came. Threads may fetch side by side.

        Raises QueryFailed or SourceUnreachable; TooMuch and Overloaded where less may be had.
        """
        form = {
            "query": query,
            "start": second_text(grid.start),
            "end": second_text(grid.end),
            "step": second_text(grid.step),
        }
        return self._server.post("query_range", form, seconds=seconds)

    def take(self, body: bytes) -> answers.Matrix:
        """Return the series of a range answer; count its samples, note its warning."""
        try:
            answer = answers.read(body)
        except answer_checks.QueryRefused as error:
            raise QueryFailed(f"{self._server.name}: {error}") from error
        except answer_checks.AnswerUnreadable as error:
            raise self._server.unreachable(f"the answer is {error}") from error
        self.warning = self.warning or answer.warning
        self.sample_count += answer.at.size
        return answer


def _slices(grid: Grid) -> list[Grid]:
    return [
        Grid(
            start=grid.start + first * grid.step,
            step=grid.step,
            count=min(MAX_POINTS, grid.count - first),
        )
        for first in range(0, grid.count, MAX_POINTS)
    ]
