"""What a stream says: which of the things that its reader knows changed, and where to go on."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from apps.diagnosis.input_values import whole_number

READY: Final = "ready"
CHANGED: Final = "changed"
RESET: Final = "reset"  # nobody knows any more what came since: look at everything
BEAT: Final = "beat"
OVER: Final = "over"  # who asked may not read any more
LATEST_MS: Final = 99_999_999_999_999  # Unix milliseconds: in the year 5138
MOMENT: Final = "at-"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEvent:
    """One change as its reader may know of it."""

    number: int  # its place; never sent
    code: str
    topic: str
    subject: str  # public id as the reader knows it; empty: any of them

    @property
    def data(self) -> dict[str, str]:
        """Return what a page is told."""
        return {"id": self.code, "topic": self.topic, "subject": self.subject}


def written(kind: str, *, mark: str = "", data: Mapping[str, Any] | None = None) -> bytes:
    """Return one server-sent event; a browser sends the newest mark when it comes again."""
    lines = [
        f"event: {kind}",
        *([f"id: {mark}"] if mark else []),
        f"data: {json.dumps(data or {})}",
    ]
    return ("\n".join(lines) + "\n\n").encode()


def changes_written(events: Sequence[LiveEvent]) -> bytes:
    """Return these changes as server-sent events."""
    return b"".join(written(CHANGED, mark=each.code, data=each.data) for each in events)


def moment_mark(at: datetime) -> str:
    """Return the mark of a moment, for who was told of nothing yet."""
    return f"{MOMENT}{int(at.timestamp() * 1000)}"


def moment_of(mark: str) -> datetime | None:
    """Return the moment of a mark; None where it is the code of a change, or nonsense."""
    told = whole_number(mark.removeprefix(MOMENT), most=LATEST_MS)
    if told is None or not mark.startswith(MOMENT):
        return None
    return datetime.fromtimestamp(told / 1000, tz=UTC)
