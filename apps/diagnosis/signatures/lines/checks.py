"""Whether to read on, asked now and then while lines are read."""

from collections.abc import Callable
from dataclasses import dataclass

LENGTH = 4096  # of lines that are looked at


@dataclass(slots=True)
class Checks:
    """Ask about as often whatever the length of the lines."""

    check: Callable[[], None] | None  # what it raises ends the reading
    unchecked: int = 0

    def read(self, line: str | bytes) -> None:
        """Take a line; ask where there were enough."""
        self.unchecked += len(line)
        if self.check is not None and self.unchecked >= LENGTH:
            self.unchecked = 0
            self.check()
