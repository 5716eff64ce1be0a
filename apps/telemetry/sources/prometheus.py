"""Prometheus-compatible servers (also Mimir, Thanos, VictoriaMetrics): the only reads of metrics.

`prometheus_api_client` knows no limits of time and size, retries no POST and escapes no label:
discovery and health go through it on a guarded session, bulk reads use that session directly.
"""

import math
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType, TracebackType
from typing import Final, Self
from urllib.parse import urlsplit, urlunsplit

import requests
from prometheus_api_client import PrometheusConnect
from prometheus_api_client.exceptions import PrometheusApiClientException

from apps.diagnosis.metrics.frames import Grid, Samples
from apps.telemetry.sources import matrix
from apps.tenancy.outbound import (
    AnswerTooBig,
    AnswerTooSlow,
    GuardedSession,
    OutboundRefused,
    Policy,
    read_limited,
)

# A server answers 400 for more points of one series in one answer.
MAX_POINTS: Final = 11_000
MAX_ANSWER_BYTES: Final = 64 * 2**20
CONNECT_SECONDS: Final = 3.0
READ_SECONDS: Final = 10.0


class SourceUnreachable(Exception):
    """A source gives no usable answer; the message says what was tried and what to do."""


class QueryFailed(Exception):
    """The server is well and refuses one query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What a source asks for: nothing, user and password, or a bearer token."""

    kind: str = "none"  # none basic bearer
    user: str = ""
    secret: str = ""

    def __repr__(self) -> str:
        """Return the kind only: a credential must not reach a log by accident."""
        return f"Credential({self.kind})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a source is and how it is spoken to."""

    name: str
    url: str
    policy: Policy
    credential: Credential = Credential()
    verify_tls: bool = True
    ca_pem: str = ""


class PrometheusSource:
    """One conversation with a server; close it, or use it as a context manager."""

    def __init__(self, *, address: Address, read_seconds: float = READ_SECONDS) -> None:
        self._name = address.name
        self._url = address.url.rstrip("/")
        self._timeout = (CONNECT_SECONDS, read_seconds)
        self.sample_count = 0
        self.warning = ""  # the first one: a federated server that lacks a part still says success
        try:
            self._session = GuardedSession(
                url=address.url,
                policy=address.policy,
                ca_pem=address.ca_pem,
                max_bytes=MAX_ANSWER_BYTES,
                seconds=read_seconds,
            )
        except (OutboundRefused, ValueError) as error:
            raise self._unreachable(str(error)) from error
        self._session.verify = address.verify_tls
        _sign(self._session, address.credential)
        # On a LAN the server's compression costs more time than the bytes it saves.
        self._session.headers["Accept-Encoding"] = "identity"
        self._client = PrometheusConnect(
            url=self._url, session=self._session, timeout=self._timeout, method="POST"
        )

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
        params = {"start": _second(starts_at), "end": _second(ends_at)}
        try:
            names = self._client.get_label_values("__name__", params=params)
        except PrometheusApiClientException as error:
            raise self._unreachable(_http_words(str(error))) from error
        except (KeyError, TypeError, ValueError) as error:
            raise self._unreachable("the answer is not the Prometheus HTTP API's") from error
        except _TROUBLE as error:
            raise self._unreachable(self._words(error)) from error
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self._unreachable("the answer is no list of metric names")
        return frozenset(names)

    def matrix(self, *, query: str, grid: Grid) -> list[Samples]:
        """Return the series of a query on a grid, in slices below the server's limit."""
        series: list[Samples] = []
        for part in _slices(grid):
            series += self._ask(
                "query_range",
                {
                    "query": query,
                    "start": _second(part.start),
                    "end": _second(part.end),
                    "step": _second(part.step),
                },
            )
        return series

    def raw(self, *, query: str, seconds: float, at: float) -> list[Samples]:
        """Return the stored samples of a selector in the span before `at`, with their own times."""
        span = f"{query}[{math.ceil(seconds)}s]"
        return self._ask("query", {"query": span, "time": _second(at)})

    def _ask(self, path: str, form: Mapping[str, str]) -> list[Samples]:
        try:
            with self._session.post(
                f"{self._url}/api/v1/{path}", data=dict(form), timeout=self._timeout, stream=True
            ) as response:
                body = read_limited(
                    response=response, max_bytes=MAX_ANSWER_BYTES, seconds=2 * self._timeout[1]
                )
            if response.status_code in {400, 422}:
                raise QueryFailed(f"{self._name}: {form['query'][:100]}: {_refusal(body)}")
            if response.status_code != requests.codes.ok:
                raise self._unreachable(_status_words(response.status_code))
            answer = matrix.read(body)
            series = answer.series()
        except matrix.QueryRefused as error:
            raise QueryFailed(f"{self._name}: {form['query'][:100]}: {error}") from error
        except matrix.AnswerUnreadable as error:
            raise self._unreachable(f"the answer is {error}") from error
        except _TROUBLE as error:
            raise self._unreachable(self._words(error)) from error
        self.warning = self.warning or answer.warning
        self.sample_count += answer.at.size
        return series

    def _words(self, error: Exception) -> str:
        if isinstance(error, requests.exceptions.SSLError):
            return "the TLS certificate is not accepted; check the CA or the host name"
        if isinstance(error, requests.exceptions.Timeout):
            return f"no answer within {self._timeout[1]:.0f} s"
        if isinstance(error, requests.exceptions.ConnectionError):
            return "no connection, or it broke"
        if isinstance(error, AnswerTooBig | AnswerTooSlow):
            return (
                f"the answer is {error}" if isinstance(error, AnswerTooSlow) else f"it sent {error}"
            )
        return str(error) if isinstance(error, OutboundRefused) else type(error).__name__

    def _unreachable(self, what: str) -> SourceUnreachable:
        return SourceUnreachable(
            f"{self._name}: {without_credentials(self._url)}: {what}; "
            "check the URL, the credential and that the portal may reach it"
        )


_TROUBLE: Final = (requests.RequestException, OutboundRefused, AnswerTooBig, AnswerTooSlow, OSError)


def selector(*, metric: str, match: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a PromQL selector; a value that starts with `~` is a regular expression."""
    matchers = [
        f'{label}=~"{escape(value[1:])}"' if value.startswith("~") else f'{label}="{escape(value)}"'
        for label, value in sorted(match.items())
    ]
    return metric + ("{" + ",".join(matchers) + "}" if matchers else "")


def escape(text: str) -> str:
    """Return a label value as it may stand between double quotes in PromQL."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def without_credentials(url: str) -> str:
    """Return a URL that may be shown: no user, password, query or fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _sign(session: requests.Session, credential: Credential) -> None:
    if credential.kind == "bearer":
        session.headers["Authorization"] = f"Bearer {credential.secret}"
    elif credential.kind == "basic":
        # As UTF-8: requests would write Latin-1, which not every name and word fits into.
        pair = b64encode(f"{credential.user}:{credential.secret}".encode()).decode("ascii")
        session.headers["Authorization"] = f"Basic {pair}"


def _slices(grid: Grid) -> list[Grid]:
    return [
        Grid(
            start=grid.start + first * grid.step,
            step=grid.step,
            count=min(MAX_POINTS, grid.count - first),
        )
        for first in range(0, grid.count, MAX_POINTS)
    ]


def _second(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _refusal(body: bytes) -> str:
    try:
        matrix.results(body, kind="matrix")
    except matrix.QueryRefused as error:
        return str(error)
    except matrix.AnswerUnreadable:
        return "refused"
    return "refused"


def _status_words(status: int) -> str:
    if status in {401, 403}:
        return f"HTTP {status}: the credential is not accepted"
    if 300 <= status < 400:
        return f"HTTP {status}: it redirects; enter the URL it leads to"
    return f"HTTP {status}"


def _http_words(text: str) -> str:
    """Return the status out of the client's message, never the page it quotes."""
    words = text.split()
    status = next((word for word in words if word.isdigit()), "")
    return _status_words(int(status)) if status else "the API answered with an error"


def instant(second: float) -> datetime:
    """Return Unix seconds as an aware time."""
    return datetime.fromtimestamp(second, UTC)
