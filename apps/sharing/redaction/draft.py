"""A text on its way: what was hidden already is out of the reach of the steps that follow.

The text is UTF-8. In the place of what is hidden stands a mark out of characters that no text
holds, so that no step hides a pseudonym again, and none is misled by what a text says.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from apps.diagnosis.patterns import NOWHERE
from apps.diagnosis.patterns import Span as Place
from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.step_patterns import StepPattern

# Characters for use inside of programs only (Unicode, "noncharacters"): taken out of what comes in.
OPEN, CLOSE = "\ufdd0", "\ufdd1"
DIGITS: Final = "".join(map(chr, range(0xFDE0, 0xFDF0)))
MARK: Final = f"{OPEN}[{DIGITS}]+{CLOSE}"  # as a pattern
MARKS: Final = re.compile(MARK)
# Stands behind an escape that is spelled out, so that its last letter begins no name: `\\nminji`.
SEAM: Final = "\ufdd2"
MARK_BYTES: Final = re.compile(OPEN.encode() + b"(?:\xef\xb7[\xa0-\xaf])+" + CLOSE.encode())

Piece: TypeAlias = "tuple[Kind | None, str]"
Handler: TypeAlias = "Callable[[Groups], bytes | None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedSpan:
    """Where something stands in the place of what was hidden, in characters of the new text."""

    start: int
    end: int
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedText:
    """A text without what is hidden."""

    text: str
    spans: tuple[RedactedSpan, ...]


class Groups:
    """What a pattern found: the text of each group."""

    __slots__ = ("_data", "_places")

    def __init__(self, data: bytes, places: list[Place]) -> None:
        self._data, self._places = data, places

    def __getitem__(self, index: int) -> bytes:
        """Return a group's text, nothing where it took no part."""
        start, end = self._places[index] if index < len(self._places) else NOWHERE
        return self._data[start:end] if start >= 0 else b""

    def before(self, count: int) -> bytes:
        """Return the bytes in front of the second group."""
        start = self._places[2][0]
        return self._data[max(0, start - count) : start]

    def after(self, count: int) -> bytes:
        """Return the bytes that follow."""
        end = self._places[0][1]
        return self._data[end : end + count]


@dataclass(slots=True)
class Draft:
    """The text, and what stands behind its marks."""

    data: bytes
    _behind: list[tuple[Piece, ...]] = field(default_factory=list)
    _lowered: bytes = b""  # the text whose small letters are known
    _low: bytes = b""

    def holds(self, *needs: bytes) -> bool:
        """Say whether one of these is in the text, whatever its case."""
        if self._lowered is not self.data:
            self._lowered, self._low = self.data, self.data.lower()
        low = self._low
        for each in needs:  # noqa: SIM110  a generator takes three times as long, for each pattern
            if each in low:
                return True
        return False

    def mark(self, *pieces: Piece) -> bytes:
        """Return a mark that pieces stand behind, each with the kind that it hides."""
        digits = f"{len(self._behind):x}".translate(_TO_DIGITS)
        self._behind.append(pieces)
        return f"{OPEN}{digits}{CLOSE}".encode()

    def hidden(self, kind: Kind, text: str) -> bytes:
        """Return a mark for one value."""
        return self.mark((kind, text))

    def sealed(self, data: bytes) -> bytes:
        """Return one mark for a part of the text: what is left of it is out of reach, too."""
        return self.mark(*self._all_pieces(data))

    def replace(self, pattern: StepPattern, handler: Handler, *needs: bytes) -> None:
        """Put what the handler returns in the place of each match; None leaves it.

        Where none of what a pattern needs is in the text, in small letters, it is not tried.
        """
        if needs and not self.holds(*needs):
            return
        parts: list[bytes] = []
        last = 0
        for places in pattern.find_all(self.data):
            new = handler(Groups(self.data, places))
            if new is not None:
                start, end = places[0]
                parts += (self.data[last:start], new)
                last = end
        if parts:
            self.data = b"".join((*parts, self.data[last:]))

    def shown(self, data: bytes) -> str:
        """Return a part of the text as its reader will see it."""
        return MARKS.sub(
            lambda found: "".join(text for _, text in self._pieces(found[0])),
            data.decode("utf-8", "replace").replace(SEAM, ""),
        )

    def finished(self) -> RedactedText:
        """Return the text with what stands behind its marks."""
        parts: list[str] = []
        spans: list[RedactedSpan] = []
        length = 0
        for kind, text in self._all_pieces(self.data):
            if kind is not None and text:
                spans.append(RedactedSpan(start=length, end=length + len(text), kind=kind))
            parts.append(text)
            length += len(text)
        return RedactedText(text="".join(parts), spans=tuple(spans))

    def _all_pieces(self, data: bytes) -> Iterator[Piece]:
        text, last = data.decode("utf-8", "replace").replace(SEAM, ""), 0
        for found in MARKS.finditer(text):
            yield None, text[last : found.start()]
            yield from self._pieces(found[0])
            last = found.end()
        yield None, text[last:]

    def _pieces(self, mark: str) -> tuple[Piece, ...]:
        return self._behind[int(mark[1:-1].translate(_FROM_DIGITS), 16)]


_TO_DIGITS = str.maketrans("0123456789abcdef", DIGITS)
_FROM_DIGITS = str.maketrans(DIGITS, "0123456789abcdef")
