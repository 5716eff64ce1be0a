"""Refusals of a moment ago, said again by the edge: who is over its share costs no work by asking.

A refusal by the application takes as long as a small push. What it said to a sender, which is one
token of an organization, is what it would say to it again within the second; then one push asks
anew, for all of that sender's, and for ten seconds one at a time. Who asks again without waiting
waits here: two hundred refusals a second are felt by others, too. An organization that floods with
many tokens is one sender to all but the first of them.
"""

import random
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Final

STATUSES: Final = frozenset({429, 503})  # "not now", in the words of the sender's protocol
TAKEN: Final = 300
KEPT_SECONDS: Final = 1.0
FORGOTTEN_SECONDS: Final = 10.0
PAUSE_SECONDS: Final = 4.0  # less than the shortest patience of a sender, 10 s
KEPT_AT_MOST: Final = 1024
TOKENS_APART: Final = 8  # of one organization at one address: so many ask for themselves
OTHER_TOKENS: Final = b""
KEPT_BYTES: Final = 4096
OF_ONE_ANSWER: Final = b"x-request-id"
Message = MutableMapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRefusal:
    """A refusal as it was sent, whole."""

    start: Message
    body: bytes
    refused_at: float
    until: float

    def is_over(self, now: float) -> bool:
        """Say whether it is so long ago that all of its sender's pushes are heard again."""
        return self.refused_at + FORGOTTEN_SECONDS < now


class RecentRefusals:
    """What each sender was refused with lately, by address."""

    def __init__(self) -> None:
        # (organization, address) → token → what it was told; the oldest first.
        self._kept: dict[tuple[str, str], dict[bytes, SentRefusal]] = {}

    def find(self, *, owner: str, token: bytes, path: str) -> SentRefusal | None:
        """Return what the sender was told less than a moment ago; None: ask the application."""
        told, now = self._kept.get((owner, path), {}), monotonic()
        sender = _sender(told, token)
        found = told.get(sender)
        if found is None or found.is_over(now):
            return None
        if found.until > now:
            return found
        # This one asks; what comes while it does is told what was said before.
        told[sender] = replace(found, until=now + KEPT_SECONDS)
        return None

    def was_refused(self, owner: str) -> bool:
        """Say whether any push of an organization was refused a moment ago."""
        now = monotonic()
        return any(
            not one.is_over(now)
            for (each, _), told in self._kept.items()
            if each == owner
            for one in told.values()
        )

    def keep(self, *, owner: str, token: bytes, path: str, start: Message, body: bytes) -> None:
        """Remember an answer that holds for the next push as well; once one is taken, the next is
        heard.
        """
        told, now = self._kept.pop((owner, path), {}), monotonic()
        told = {each: one for each, one in told.items() if not one.is_over(now)}
        sender = _sender(told, token)
        if start["status"] < TAKEN and sender in told:
            told[sender] = replace(told[sender], until=now)
        if start["status"] in STATUSES and len(body) <= KEPT_BYTES:
            headers = [each for each in start["headers"] if each[0].lower() != OF_ONE_ANSWER]
            start = {**start, "headers": headers}
            told[sender] = SentRefusal(
                start=start, body=body, refused_at=now, until=now + KEPT_SECONDS
            )
        if told:
            self._kept[owner, path] = told
        if len(self._kept) > KEPT_AT_MOST:
            del self._kept[next(iter(self._kept))]


def pause() -> float:
    """Return how long one that asks again waits: two hundred at once don't come back at once."""
    return PAUSE_SECONDS * random.uniform(0.75, 1.25)  # noqa: S311  no secret


def _sender(told: Mapping[bytes, SentRefusal], token: bytes) -> bytes:
    """Return under which of an organization's tokens this one counts."""
    return token if token in told or len(told) < TOKENS_APART else OTHER_TOKENS
