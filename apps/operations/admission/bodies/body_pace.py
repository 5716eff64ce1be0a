"""How far a body lags behind the pace that is asked of it where others wait for its room."""

from dataclasses import dataclass
from typing import Final

PACE: Final = 64 * 2**10  # bytes a second
LATE_SECONDS: Final = 2.0  # behind it: from then on it goes before others


@dataclass(slots=True)
class BodyPace:
    """The time at which all that came so far was due; who was fast saves nothing up for later."""

    due_at: float = 0.0

    def begin(self, *, now: float) -> None:
        """Expect a body from now on."""
        self.due_at = now

    def count(self, size: int, *, now: float) -> None:
        """Count what came."""
        self.due_at = min(now, self.due_at + size / PACE)

    def behind(self, *, now: float) -> float:
        """Return by how many seconds the next part is late."""
        return now - self.due_at
