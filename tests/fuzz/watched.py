"""What views raise while they are asked odd things, by its place in the code."""

import sys
import traceback
from collections import Counter
from typing import Any


class Watched:
    """The errors that nobody caught, each place with the first question that led there."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.asked = ""

    def note(self, **_: Any) -> None:
        """Keep the error that is being handled: a signal of Django's."""
        error = sys.exc_info()[1]
        if error is not None:
            self.keep(error)

    def keep(self, error: BaseException) -> None:
        """Keep an error under its place in the code."""
        frames = traceback.extract_tb(error.__traceback__)
        ours = [each for each in frames if "/apps/" in each.filename or "/portal/" in each.filename]
        last = (ours or frames)[-1]
        where = f"{type(error).__name__} in {last.filename}:{last.lineno}"
        self.found[where] += 1
        self.examples.setdefault(where, self.asked)

    def __str__(self) -> str:
        return "\n".join(
            f"{count} times {where}\n    {self.examples[where][:300]}"
            for where, count in self.found.most_common()
        )
