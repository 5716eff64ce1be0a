"""Refusals of a moment ago, said again by the edge: who is over its share costs no work by asking.

A refusal by the application takes as long as a small push. What it said to a sender is what it
would say to it again within the second.
"""

from collections.abc import MutableMapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

STATUSES: Final = frozenset({429, 503})  # "not now", in the words of the sender's protocol
KEPT_SECONDS: Final = 1.0
KEPT_AT_MOST: Final = 1024
KEPT_BYTES: Final = 4096
OF_ONE_ANSWER: Final = b"x-request-id"
Message = MutableMapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A refusal as it was sent, whole."""

    start: Message
    body: bytes
    until: float


class RecentRefusals:
    """What each sender was refused with lately, by address."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Answer] = {}

    def find(self, *, sender: str, path: str) -> Answer | None:
        """Return what the sender was told less than a moment ago."""
        found = self._kept.get((sender, path))
        return found if found is not None and found.until > monotonic() else None

    def keep(self, *, sender: str, path: str, start: Message, body: bytes) -> None:
        """Remember an answer, if it is one that holds for the next push as well."""
        if start["status"] not in STATUSES or len(body) > KEPT_BYTES:
            return
        if len(self._kept) >= KEPT_AT_MOST:
            self._kept.clear()
        headers = [each for each in start["headers"] if each[0].lower() != OF_ONE_ANSWER]
        self._kept[sender, path] = Answer(
            start={**start, "headers": headers}, body=body, until=monotonic() + KEPT_SECONDS
        )
