"""The conversation with a server of metrics: asked within limits, again where it is busy.

What goes wrong comes out as SourceUnreachable, Overloaded, TooMuch or QueryFailed, in words for
people, without credentials.
"""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import requests

from apps.telemetry.sources.address import Address, sign, without_credentials
from apps.telemetry.sources.errors import Overloaded, QueryFailed, SourceUnreachable, TooMuch
from apps.telemetry.sources.retry import (
    BUSY,
    MOST_ATTEMPTS,
    encoding_for,
    pause_before,
    refusal,
    server_second,
    status_words,
)
from apps.tenancy.outbound.bounded_answers import AnswerTooBig, AnswerTooSlow, read_limited
from apps.tenancy.outbound.guarded_http import GuardedSession, reason
from apps.tenancy.outbound.policy import OutboundRefused

MAX_ANSWER_BYTES: Final = 64 * 2**20
CONNECT_SECONDS: Final = 3.0
TROUBLE: Final = (requests.RequestException, OutboundRefused, AnswerTooBig, AnswerTooSlow, OSError)
OVERLOAD: Final = (requests.exceptions.ReadTimeout, AnswerTooBig, AnswerTooSlow)


class SourceConnection:
    """One guarded session with a server, and what is said of its troubles."""

    def __init__(
        self, *, address: Address, read_seconds: float, check: Callable[[bytes], None]
    ) -> None:
        """Open it; `check` looks at what a client is going to parse by itself."""
        self.name = address.name
        self.url = address.url.rstrip("/")
        self.timeout = (CONNECT_SECONDS, read_seconds)
        self.clock_ahead: float | None = None  # seconds by which the server's clock is before ours
        self._policy = address.policy
        try:
            self.session = GuardedSession(
                url=address.url,
                policy=address.policy,
                ca_pem=address.ca_pem,
                max_bytes=MAX_ANSWER_BYTES,
                seconds=read_seconds,
                retried=(),
                check=check,
            )
        except (OutboundRefused, ValueError) as error:
            raise self.unreachable(str(error)) from error
        self.session.verify = address.verify_tls
        sign(self.session, address.credential)
        self.session.hooks["response"].append(self._note_clock)
        self.session.headers["Accept-Encoding"] = encoding_for(
            url=address.url, policy=address.policy
        )

    def get(self, path: str) -> bytes:
        """Return an answer; raise one of TROUBLE."""
        url = f"{self.url}/api/v1/{path}"
        with self.session.get(url, timeout=self.timeout, stream=True) as response:
            return self._body(response, self.timeout[1])

    def post(self, path: str, form: Mapping[str, str], seconds: float | None = None) -> bytes:
        """Ask, and ask a busy server again; a query changes nothing, so twice does no harm."""
        seconds = self.timeout[1] if seconds is None else seconds
        ends_at = time.monotonic() + 2 * seconds
        attempt = 1
        while True:
            status, body, retry_after = self._post_once(path, form, seconds)
            if status not in BUSY:
                return self._accepted(status, body, form)
            pause = pause_before(attempt=attempt, retry_after=retry_after)
            if attempt == MOST_ATTEMPTS or time.monotonic() + pause > ends_at:
                raise self.unreachable(status_words(status), Overloaded)
            threading.Event().wait(pause)
            attempt += 1

    def _post_once(
        self, path: str, form: Mapping[str, str], seconds: float
    ) -> tuple[int, bytes, str | None]:
        try:
            with self.session.post(
                f"{self.url}/api/v1/{path}",
                data=dict(form),
                timeout=(CONNECT_SECONDS, seconds),
                stream=True,
            ) as response:
                body = self._body(response, 2 * seconds)
                return response.status_code, body, response.headers.get("Retry-After")
        except TROUBLE as error:
            kind = Overloaded if isinstance(error, OVERLOAD) else SourceUnreachable
            raise self.unreachable(self.words(error), kind) from error

    def _accepted(self, status: int, body: bytes, form: Mapping[str, str]) -> bytes:
        if status in {400, 422}:
            kind = TooMuch if status == requests.codes.unprocessable else QueryFailed
            raise kind(f"{self.name}: {form['query'][:100]}: {refusal(body)}")
        if status != requests.codes.ok:
            raise self.unreachable(status_words(status))
        return body

    def _body(self, response: requests.Response, seconds: float) -> bytes:
        return read_limited(response=response, max_bytes=MAX_ANSWER_BYTES, seconds=seconds)

    def _note_clock(self, response: requests.Response, *_arguments: Any, **_more: Any) -> None:
        second = server_second(response.headers.get("Date"))
        if second is not None:
            # The header has whole seconds: half a second is as good as it gets.
            self.clock_ahead = second + 0.5 - time.time()

    def words(self, error: Exception) -> str:
        """Return what one of TROUBLE means."""
        if isinstance(error, AnswerTooBig | AnswerTooSlow):
            return (
                f"the answer is {error}" if isinstance(error, AnswerTooSlow) else f"it sent {error}"
            )
        return reason(error=error, policy=self._policy, seconds=self.timeout[1])

    def unreachable(
        self, what: str, kind: type[SourceUnreachable] = SourceUnreachable
    ) -> SourceUnreachable:
        """Return an error to raise that says where, and what to look at."""
        url = without_credentials(self.url)
        where = url if self.name in url else f"{self.name}: {url}"
        return kind(
            f"{where}: {what}; check the URL, the credential and that the portal may reach it"
        )
