"""Requests that go only where the policy lets them.

The connection goes to the address that was judged, no redirect is followed, no proxy is used, and
what is read of an answer is bounded in time and size.
"""

import time
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, Final
from urllib.parse import SplitResult

import requests
from requests.adapters import HTTPAdapter

from apps.diagnosis.model import Statement, statement
from apps.tenancy.outbound.bounded_answers import read_limited
from apps.tenancy.outbound.guarded_connection import CONNECT_SECONDS, RETRIED_STATUS, GuardedAdapter
from apps.tenancy.outbound.policy import NOT_THERE, OutboundRefused, Policy
from apps.wording import in_english

READ_SECONDS: Final = 15.0
MAX_BYTES: Final = 16 * 2**20


class GuardedSession(requests.Session):
    """A session for one origin: its credential goes nowhere else, nothing replaces the guard."""

    def __init__(  # noqa: PLR0913  each bounds something else
        self,
        *,
        url: str,
        policy: Policy,
        ca_pem: str = "",
        max_bytes: int = MAX_BYTES,
        seconds: float = READ_SECONDS,
        retried: Sequence[int] = RETRIED_STATUS,  # none: the caller asks a busy server again
        check: Callable[[bytes], None] = lambda body: None,
    ) -> None:
        self._policy, self._check = policy, check
        self._max_bytes, self._seconds = max_bytes, seconds
        self._origin = _origin(policy.check_url(url))
        self._guard = GuardedAdapter(policy=policy, ca_pem=ca_pem, retried=retried)
        self._has_answered = False
        super().__init__()
        self.trust_env = False  # no proxies, no .netrc from the environment

    def mount(self, prefix: str | bytes, adapter: Any) -> None:
        """Ignore every other adapter: PrometheusConnect mounts a plain one of its own."""

    def get_adapter(self, url: str) -> HTTPAdapter:
        """Return the guard, whatever the URL."""
        return self._guard

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        """Send to the origin of this session: no redirects, limits on time and size."""
        parts = self._policy.check_url(request.url or "")
        if _origin(parts) != self._origin:
            raise OutboundRefused("this session speaks to one host only")
        kwargs["allow_redirects"] = False
        kwargs["proxies"] = {}
        if kwargs.get("timeout") is None:
            kwargs["timeout"] = (CONNECT_SECONDS, READ_SECONDS)
        is_streamed = kwargs.pop("stream", False)
        response = self._send_discreetly(request, stream=True, **kwargs)
        if not is_streamed:
            # What callers that know nothing of limits would have read without one.
            body = read_limited(response=response, max_bytes=self._max_bytes, seconds=self._seconds)
            self._check(body)
            response._content = body  # noqa: SLF001  requests has no public way to give a body
        return response

    def _send_discreetly(
        self, request: requests.PreparedRequest, **kwargs: Any
    ) -> requests.Response:
        """Fail after the same time, whatever failed: a closed port looks like no machine.

        Who has answered once in this session is known to be there.
        """
        ends_at = time.monotonic() + CONNECT_SECONDS
        try:
            # A time limit of a socket begins anew with each byte; headers may trickle.
            with self._guard.hanging_up(seconds=_whole(kwargs["timeout"])):
                response = super().send(request, **kwargs)
        except requests.RequestException:
            if self._policy.is_discreet and not self._has_answered:
                Event().wait(max(0.0, ends_at - time.monotonic()))
            raise
        self._has_answered = True
        return response

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return nothing: a redirect is an answer like any other, also for `_next` of requests."""

    def close(self) -> None:
        """Close the connections."""
        self._guard.close()


def _whole(timeout: float | tuple[float, float]) -> float:
    """Return how long connecting and waiting for headers may take together."""
    return sum(timeout) if isinstance(timeout, tuple) else timeout + CONNECT_SECONDS


def _origin(parts: SplitResult) -> tuple[str, str, int]:
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return parts.scheme, (parts.hostname or "").rstrip("."), port


def reason(*, error: Exception, policy: Policy, seconds: float) -> str:
    """Return why nothing came back, for an admin, in English."""
    return in_english(failure_of(error=error, policy=policy, seconds=seconds))


def failure_of(*, error: Exception, policy: Policy, seconds: float) -> Statement:
    """Return the same as a fact; where private networks are open, always the same one."""
    if isinstance(error, OutboundRefused):
        is_plain = str(error) == in_english(NOT_THERE)
        return NOT_THERE if is_plain else statement("text", text=str(error))
    if policy.is_discreet:
        return statement("no-answer", seconds=round(seconds))
    # The first that fits: both others are connection errors, too.
    known = (
        (requests.exceptions.SSLError, statement("certificate-refused")),
        (requests.exceptions.Timeout, statement("answer-late", seconds=round(seconds))),
        (requests.exceptions.ConnectionError, statement("connection-broken")),
    )
    unknown = statement("text", text=type(error).__name__)
    return next((told for kind, told in known if isinstance(error, kind)), unknown)
