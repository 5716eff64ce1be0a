"""Pieces ↔ one compressed body, kept until it is interpreted; chunks of a stream likewise."""

from collections.abc import Iterator, Sequence

import numpy as np
import orjson
import zstandard
from numpy.typing import NDArray

from apps.telemetry.formats.lines.line_blocks import LinePiece

LEVEL = 1  # four times faster than the default, a tenth larger
HEADER_LENGTH_BYTES = 4
Stamps = NDArray[np.int64]


def packed(*, pieces: Sequence[LinePiece]) -> bytes:
    """Return the pieces as one compressed body."""
    header = orjson.dumps(
        [
            {
                "labels": dict(piece.labels),
                "bytes": len(piece.text),
                "lines": piece.line_count,
                "is_stamped": piece.stamps is not None,
            }
            for piece in pieces
        ]
    )
    parts = [len(header).to_bytes(HEADER_LENGTH_BYTES, "little"), header]
    for piece in pieces:
        parts += [piece.stamps or b"", piece.text]
    return zstandard.compress(b"".join(parts), LEVEL)


def unpacked(*, body: bytes) -> Iterator[LinePiece]:
    """Yield the pieces of a body that `packed` made."""
    plain = zstandard.decompress(body)
    at = HEADER_LENGTH_BYTES + int.from_bytes(plain[:HEADER_LENGTH_BYTES], "little")
    for entry in orjson.loads(plain[HEADER_LENGTH_BYTES:at]):
        stamps = None
        if entry["is_stamped"]:
            stamps = plain[at : at + 8 * entry["lines"]]
            at += 8 * entry["lines"]
        yield LinePiece(
            labels=entry["labels"],
            text=plain[at : at + entry["bytes"]],
            line_count=entry["lines"],
            stamps=stamps,
        )
        at += entry["bytes"]


def packed_chunk(*, text: bytes, stamps: Stamps | None) -> bytes:
    """Return lines of one stream, compressed; the stamps in front of the text as differences."""
    steps = b"" if stamps is None else np.diff(stamps, prepend=np.int64(0)).astype("<i8").tobytes()
    return zstandard.compress(steps + text, LEVEL)


def unpacked_chunk(
    *, body: bytes, line_count: int, is_stamped: bool
) -> tuple[bytes, Stamps | None]:
    """Return the lines and stamps of a chunk."""
    plain = zstandard.decompress(body)
    if not is_stamped:
        return plain, None
    size = 8 * line_count
    return plain[size:], np.cumsum(np.frombuffer(plain[:size], dtype="<i8")).astype(np.int64)


def stamps_of(*, piece: LinePiece) -> Stamps | None:
    """Return the stamps of a piece as numbers."""
    if piece.stamps is None:
        return None
    return np.frombuffer(piece.stamps, dtype="<i8").astype(np.int64)
