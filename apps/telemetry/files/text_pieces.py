"""Bytes of a log → pieces of whole lines, in bounded memory."""

from collections.abc import Iterator
from typing import IO

from apps.telemetry.files.decompression import CHUNK_BYTES

MOST_LINE_BYTES = 1024 * 1024


def lines(raw: IO[bytes], *, begun: bytes = b"") -> Iterator[str]:
    """Yield decoded pieces of whole lines, about CHUNK_BYTES each; a longer line than 1 MiB is cut
    with a mark.
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
            yield _decode(block[:end])
        rest = block[end:]
        if len(rest) > MOST_LINE_BYTES:
            yield _decode(rest)
            rest, is_cut = b"", True
    if rest:
        yield _decode(rest)


def _decode(block: bytes) -> str:
    if len(block) > MOST_LINE_BYTES and max(map(len, block.split(b"\n"))) > MOST_LINE_BYTES:
        block = b"\n".join(_cut(line) for line in block.split(b"\n"))
    return block.decode("utf-8", errors="replace").removesuffix("\n")


def _cut(line: bytes) -> bytes:
    return line if len(line) <= MOST_LINE_BYTES else line[:MOST_LINE_BYTES] + b" [cut]"
