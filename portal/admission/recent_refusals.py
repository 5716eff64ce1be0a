"""Refusals of a moment ago, said again by the edge: who is over its share costs no work by asking.

A refusal by the application takes as long as a small push. What it said to a sender is what it
would say to it again within the second; then one push asks anew, for all of that sender's. Who asks
again without waiting waits here: two hundred refusals a second are felt by others, too.
"""

from collections.abc import MutableMapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Final

STATUSES: Final = frozenset({429, 503})  # "not now", in the words of the sender's protocol
TAKEN: Final = 300
KEPT_SECONDS: Final = 1.0
FORGOTTEN_SECONDS: Final = 10.0  # then nobody has asked again
PAUSE_SECONDS: Final = 1.0
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
        """Return what the sender was told less than a moment ago; None: ask the application."""
        found, now = self._kept.get((sender, path)), monotonic()
        if found is None or found.until + FORGOTTEN_SECONDS < now:
            return None
        if found.until > now:
            return found
        # This one asks; what comes while it does is told what was said before.
        self._kept[sender, path] = replace(found, until=now + KEPT_SECONDS)
        return None

    def keep(self, *, sender: str, path: str, start: Message, body: bytes) -> None:
        """Remember an answer that holds for the next push as well; forget it once one is taken."""
        if start["status"] < TAKEN:
            self._kept.pop((sender, path), None)
        if start["status"] not in STATUSES or len(body) > KEPT_BYTES:
            return
        if len(self._kept) >= KEPT_AT_MOST:
            self._kept.clear()
        headers = [each for each in start["headers"] if each[0].lower() != OF_ONE_ANSWER]
        self._kept[sender, path] = Answer(
            start={**start, "headers": headers}, body=body, until=monotonic() + KEPT_SECONDS
        )
