"""Pieces of one push, within its limits."""

from collections.abc import Iterable

from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.formats.timed_entries import LINES_LIMIT

FAR_STAMP = 2**63
STREAMS_LIMIT = 5000  # label sets of one push


def usable(found: Iterable[LinePiece | None], complaints: Complaints) -> list[LinePiece]:
    """Return the pieces of a push; raise TooBig or NothingUsable."""
    pieces: list[LinePiece] = []
    line_count = 0
    for piece in found:
        if piece is None:
            continue
        pieces.append(piece)
        line_count += piece.line_count
        if len(pieces) > STREAMS_LIMIT:
            raise TooBig(f"the push has more than {STREAMS_LIMIT} streams; send it in parts")
        if line_count > LINES_LIMIT:
            raise TooBig(f"the push has more than {LINES_LIMIT} lines; send it in parts")
    if not pieces and complaints.count:
        raise NothingUsable(complaints.kept[0].detail)
    return pieces
