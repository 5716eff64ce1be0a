"""Prometheus-compatible servers (also Mimir, Thanos, VictoriaMetrics): the only reads of metrics.

`prometheus_api_client` knows no limits of time and size, retries no POST and escapes no label:
discovery and health go through it on a guarded session, bulk reads use that session directly.
"""

import math
import threading
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

import orjson
import requests
from prometheus_api_client import PrometheusConnect
from prometheus_api_client.exceptions import PrometheusApiClientException

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.telemetry.sources import answer_checks
from apps.telemetry.sources import matrix as answers
from apps.telemetry.sources.address import Address, sign, without_credentials
from apps.telemetry.sources.errors import Overloaded, QueryFailed, SourceUnreachable, TooMuch
from apps.telemetry.sources.instants import second_text
from apps.telemetry.sources.retry import (
    BUSY,
    MOST_ATTEMPTS,
    encoding_for,
    http_words,
    pause_before,
    refusal,
    server_second,
    status_words,
)
from apps.tenancy.outbound.bounded_answers import AnswerTooBig, AnswerTooSlow, read_limited
from apps.tenancy.outbound.guarded_http import GuardedSession, reason
from apps.tenancy.outbound.policy import OutboundRefused

# A server answers 400 for more points of one series in one answer.
MAX_POINTS: Final = 11_000
MAX_ANSWER_BYTES: Final = 64 * 2**20
# A server that says it is further behind is wrong about something else.
MOST_HELD_BACK: Final = 3600.0
CONNECT_SECONDS: Final = 3.0
READ_SECONDS: Final = 10.0


class PrometheusSource:
    """One conversation with a server; close it, or use it as a context manager."""

    def __init__(self, *, address: Address, read_seconds: float = READ_SECONDS) -> None:
        self._name = address.name
        self._url = address.url.rstrip("/")
        self._timeout = (CONNECT_SECONDS, read_seconds)
        self._policy = address.policy
        self.sample_count = 0
        self.warning = ""  # the first one: a federated server that lacks a part still says success
        self.clock_ahead: float | None = None  # seconds by which the server's clock is before ours
        try:
            self._session = GuardedSession(
                url=address.url,
                policy=address.policy,
                ca_pem=address.ca_pem,
                max_bytes=MAX_ANSWER_BYTES,
                seconds=read_seconds,
                retried=(),
                check=answer_checks.check_names,  # the client parses what it is given
            )
        except (OutboundRefused, ValueError) as error:
            raise self._unreachable(str(error)) from error
        self._session.verify = address.verify_tls
        sign(self._session, address.credential)
        self._session.hooks["response"].append(self._note_clock)
        self._session.headers["Accept-Encoding"] = encoding_for(
            url=address.url, policy=address.policy
        )
        self._client = PrometheusConnect(
            url=self._url, session=self._session, timeout=self._timeout, method="POST"
        )

    @property
    def read_seconds(self) -> float:
        """How long an answer may take."""
        return self._timeout[1]

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
        self._session.close()

    def metric_names(self, *, starts_at: float, ends_at: float) -> frozenset[str]:
        """Return the names that had samples in a span: discovery, and the health of the source."""
        return self.label_values("__name__", starts_at=starts_at, ends_at=ends_at)

    def label_values(self, label: str, *, starts_at: float, ends_at: float) -> frozenset[str]:
        """Return the values that a label had in a span; raise SourceUnreachable."""
        params = {"start": second_text(starts_at), "end": second_text(ends_at)}
        try:
            names = self._client.get_label_values(label, params=params)
        except PrometheusApiClientException as error:
            raise self._unreachable(http_words(str(error))) from error
        except (KeyError, TypeError, ValueError) as error:
            raise self._unreachable("the answer is not the Prometheus HTTP API's") from error
        except answer_checks.AnswerUnreadable as error:
            raise self._unreachable(f"the answer is {error}") from error
        except _TROUBLE as error:
            raise self._unreachable(self._words(error)) from error
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self._unreachable(f"the answer is no list of values of {label}")
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
        return self.take(self._post("query", {"query": span, "time": second_text(at)})).series()

    def counts(self, *, query: str, by: str, at: float) -> dict[str, int]:
        """Return how many series of a selector an instant has, by the values of a label."""
        form = {"query": f"count by ({by}) ({query})", "time": second_text(at)}
        try:
            entries = answer_checks.results(self._post("query", form), kind="vector")
            return {str(each["metric"].get(by, "")): int(each["value"][1]) for each in entries}
        except answer_checks.QueryRefused as error:
            raise QueryFailed(f"{self._name}: {error}") from error
        except (
            answer_checks.AnswerUnreadable,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ) as bad:
            raise self._unreachable("the answer is no vector of numbers") from bad

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
            (entry,) = answer_checks.results(self._post("query", form), kind="vector")
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
            with self._session.get(
                f"{self._url}/api/v1/metadata", timeout=self._timeout, stream=True
            ) as response:
                body = self._body(response, self._timeout[1])
            answer_checks.check_answer(body)
            told = orjson.loads(body)["data"]
            return {name: str(rows[0]["type"]) for name, rows in told.items() if rows}
        except (
            *_TROUBLE,
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
        return self._post("query_range", form, seconds=seconds)

    def take(self, body: bytes) -> answers.Matrix:
        """Return the series of a range answer; count its samples, note its warning."""
        try:
            answer = answers.read(body)
        except answer_checks.QueryRefused as error:
            raise QueryFailed(f"{self._name}: {error}") from error
        except answer_checks.AnswerUnreadable as error:
            raise self._unreachable(f"the answer is {error}") from error
        self.warning = self.warning or answer.warning
        self.sample_count += answer.at.size
        return answer

    def _post(self, path: str, form: Mapping[str, str], seconds: float | None = None) -> bytes:
        """Ask, and ask a busy server again; a query changes nothing, so twice does no harm."""
        seconds = self._timeout[1] if seconds is None else seconds
        ends_at = time.monotonic() + 2 * seconds
        attempt = 1
        while True:
            status, body, retry_after = self._post_once(path, form, seconds)
            if status not in BUSY:
                return self._accepted(status, body, form)
            pause = pause_before(attempt=attempt, retry_after=retry_after)
            if attempt == MOST_ATTEMPTS or time.monotonic() + pause > ends_at:
                raise self._unreachable(status_words(status), Overloaded)
            threading.Event().wait(pause)
            attempt += 1

    def _post_once(
        self, path: str, form: Mapping[str, str], seconds: float
    ) -> tuple[int, bytes, str | None]:
        try:
            with self._session.post(
                f"{self._url}/api/v1/{path}",
                data=dict(form),
                timeout=(CONNECT_SECONDS, seconds),
                stream=True,
            ) as response:
                body = self._body(response, 2 * seconds)
                return response.status_code, body, response.headers.get("Retry-After")
        except _TROUBLE as error:
            kind = Overloaded if isinstance(error, _OVERLOAD) else SourceUnreachable
            raise self._unreachable(self._words(error), kind) from error

    def _accepted(self, status: int, body: bytes, form: Mapping[str, str]) -> bytes:
        if status in {400, 422}:
            kind = TooMuch if status == requests.codes.unprocessable else QueryFailed
            raise kind(f"{self._name}: {form['query'][:100]}: {refusal(body)}")
        if status != requests.codes.ok:
            raise self._unreachable(status_words(status))
        return body

    def _body(self, response: requests.Response, seconds: float) -> bytes:
        return read_limited(response=response, max_bytes=MAX_ANSWER_BYTES, seconds=seconds)

    def _note_clock(self, response: requests.Response, *_arguments: Any, **_more: Any) -> None:
        second = server_second(response.headers.get("Date"))
        if second is not None:
            # The header has whole seconds: half a second is as good as it gets.
            self.clock_ahead = second + 0.5 - time.time()

    def _words(self, error: Exception) -> str:
        if isinstance(error, AnswerTooBig | AnswerTooSlow):
            return (
                f"the answer is {error}" if isinstance(error, AnswerTooSlow) else f"it sent {error}"
            )
        return reason(error=error, policy=self._policy, seconds=self._timeout[1])

    def _unreachable(
        self, what: str, kind: type[SourceUnreachable] = SourceUnreachable
    ) -> SourceUnreachable:
        url = without_credentials(self._url)
        where = url if self._name in url else f"{self._name}: {url}"
        return kind(
            f"{where}: {what}; check the URL, the credential and that the portal may reach it"
        )


_TROUBLE: Final = (requests.RequestException, OutboundRefused, AnswerTooBig, AnswerTooSlow, OSError)
_OVERLOAD: Final = (requests.exceptions.ReadTimeout, AnswerTooBig, AnswerTooSlow)


def _slices(grid: Grid) -> list[Grid]:
    return [
        Grid(
            start=grid.start + first * grid.step,
            step=grid.step,
            count=min(MAX_POINTS, grid.count - first),
        )
        for first in range(0, grid.count, MAX_POINTS)
    ]
