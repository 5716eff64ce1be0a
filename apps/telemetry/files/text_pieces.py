"""Bytes of a log → pieces of whole lines, in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from apps.telemetry.files.decompression import CHUNK_BYTES

MOST_LINE_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class WholeLines:
    """Whole lines of a log, decoded when somebody asks for their text."""

    data: bytes | str  # a dump is told as text

    @property
    def line_count(self) -> int:
        """Return how many lines there are, without decoding them."""
        if isinstance(self.data, str):
            return self.data.count("\n") + 1
        return self.data.count(b"\n") + (not self.data.endswith(b"\n"))

    def text(self) -> str:
        """Return the lines, joined by line feeds; one that is longer than 1 MiB is cut with a
        mark.
        """
        return self.data if isinstance(self.data, str) else _decode(self.data)


def lines(raw: IO[bytes], *, begun: bytes = b"") -> Iterator[str]:
    """Yield decoded pieces of whole lines, about CHUNK_BYTES each; a longer line than 1 MiB is cut
    with a mark.
    """
    return (piece.text() for piece in cut_pieces(raw, begun=begun))


def cut_pieces(raw: IO[bytes], *, begun: bytes = b"") -> Iterator[WholeLines]:
    """Yield the same pieces before they are decoded. Where they are cut depends on the bytes
    alone.
    """
    rest, is_cut = b"", False
    while block := begun or raw.read(CHUNK_BYTES):
        begun = b""
        if is_cut:  # the rest of a line that was given already
            _, _, block = block.partition(b"\n")
            is_cut = not block
        block = rest + block
        end = block.rfind(b"\n") + 1
        if end:
            yield WholeLines(block[:end])
        rest = block[end:]
        if len(rest) > MOST_LINE_BYTES:
            yield WholeLines(rest)
            rest, is_cut = b"", True
    if rest:
        yield WholeLines(rest)


def _decode(block: bytes) -> str:
    if _has_long_line(block):
        block = b"\n".join(_cut(line) for line in block.split(b"\n"))
    return block.decode("utf-8", errors="replace").removesuffix("\n")


def _has_long_line(block: bytes) -> bool:
    """Say whether a line is too long, by a look at one line end in so many bytes."""
    start = 0
    while len(block) - start > MOST_LINE_BYTES:
        end = block.rfind(b"\n", start, start + MOST_LINE_BYTES + 1)
        if end < 0:
            return True
        start = end + 1
    return False


def _cut(line: bytes) -> bytes:
    return line if len(line) <= MOST_LINE_BYTES else line[:MOST_LINE_BYTES] + b" [cut]"
