"""A line of a batch, parsed once and only if it is asked for."""

from collections.abc import Callable, Hashable

from apps.diagnosis.model import LogLine
from apps.diagnosis.signatures.match import SignatureMatch

Read = Callable[[int, str], LogLine]  # a line by its 0-based index in the batch, and its text


class Asked:
    """A line that is parsed once, and only if it is asked for."""

    __slots__ = ("_line", "_read", "hit", "index", "is_searched", "is_wrapped", "part", "shown")

    def __init__(
        self,
        read: Read,
        index: int,
        shown: str,
        *,
        is_wrapped: bool = False,
        hit: SignatureMatch | None = None,
    ) -> None:
        self._read, self.index, self.shown = read, index, shown
        self.is_wrapped = is_wrapped  # its envelope says who spoke, not its prefix
        self.hit = hit  # where it is known by its shape
        self.is_searched = hit is not None  # whether that is known, and be it none
        self.part: Hashable = None  # what it is about, where that is known
        self._line: LogLine | None = None

    def line(self) -> LogLine:
        if self._line is None:
            self._line = self._read(self.index, self.shown)
        return self._line

    def text(self) -> str:
        return self.line().text


class AskedStep:
    """A line of progress whose match was searched for."""

    __slots__ = ("_asked", "_hit", "index")

    def __init__(self, asked: Asked, hit: SignatureMatch) -> None:
        self._asked, self._hit, self.index = asked, hit, asked.index

    def hit(self) -> SignatureMatch:
        """Return its match."""
        return self._hit

    def line(self) -> LogLine:
        """Return it parsed."""
        return self._asked.line()
