"""Asking an organization's provider: only where outbound requests may go, briefly, for little."""

import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote_plus

import requests
from allauth.socialaccount.providers.oauth2.client import OAuth2Error

from apps.tenancy.database.connections import return_connection
from apps.tenancy.outbound.bounded_answers import AnswerTooBig, AnswerTooSlow
from apps.tenancy.outbound.guarded_http import GuardedSession
from apps.tenancy.outbound.policy import OutboundRefused, Policy

MAX_BYTES: Final = 512 * 1024
EACH_SECONDS = 5.0  # to the headers, and as long for the body
ALL_SECONDS: Final = 15.0  # then nothing more is asked for the same click


class ProviderFailed(OAuth2Error):  # type: ignore[misc]  # allauth has no types
    """A provider can't be asked, or its answer proves nothing. `reason` says which, by a word.

    Never what the provider wrote: an answer may say the client's secret back.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ProviderHttp:
    """What one click asks of a provider, within one policy and one time."""

    def __init__(self, *, policy: Policy, seconds: float = ALL_SECONDS) -> None:
        self.policy = policy
        self._ends_at = time.monotonic() + seconds

    def get(self, url: str, *, bearer: str = "") -> dict[str, Any]:
        """Return the JSON object at an address; raise ProviderFailed."""
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        return _object(self._ask("GET", url, headers=headers))

    def text(self, url: str) -> bytes:
        """Return what an address answers, whatever it is; raise ProviderFailed."""
        answer = self._ask("GET", url, headers={"Accept": "*/*"})
        if answer.status_code != requests.codes.ok:
            raise ProviderFailed("bad-answer")
        return answer.content

    def post(
        self, url: str, *, form: Mapping[str, str], basic: tuple[str, str] | None
    ) -> dict[str, Any]:
        """Return the JSON object that a form is answered with; raise ProviderFailed."""
        # RFC 6749, 2.3.1: both are encoded as in a form before they are joined.
        auth = (quote_plus(basic[0]), quote_plus(basic[1])) if basic else None
        return _object(self._ask("POST", url, data=dict(form), auth=auth))

    def _ask(self, method: str, url: str, **more: Any) -> requests.Response:
        seconds = min(EACH_SECONDS, self._ends_at - time.monotonic())
        if seconds <= 0:
            raise ProviderFailed("no-answer")
        more["headers"] = {"Accept": "application/json", **more.get("headers", {})}
        return_connection()
        try:
            with GuardedSession(
                url=url, policy=self.policy, max_bytes=MAX_BYTES, seconds=seconds, retried=()
            ) as session:
                half = seconds / 2  # of connecting and of waiting for headers
                return session.request(method, url, timeout=(half, half), **more)
        except OutboundRefused:
            raise ProviderFailed("address-refused") from None
        except (requests.RequestException, AnswerTooBig, AnswerTooSlow):
            raise ProviderFailed("no-answer") from None


def _object(answer: requests.Response) -> dict[str, Any]:
    if answer.status_code != requests.codes.ok:
        raise ProviderFailed("bad-answer")
    try:
        found = answer.json()
    except (ValueError, RecursionError):
        raise ProviderFailed("bad-answer") from None
    if not isinstance(found, dict):
        raise ProviderFailed("bad-answer")
    return found
