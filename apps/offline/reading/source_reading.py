"""One source, read by one process → one reading of bounded size."""

from collections.abc import Callable

from apps.diagnosis.model import Reading
from apps.diagnosis.signatures.read import StreamReader
from apps.offline.condensed_reading import Condenser
from apps.offline.steps_beside import SIGNS
from apps.telemetry.files.text_sources import SourceText


def _not_counted(size: int) -> None:
    """Hear nothing."""


def read_source(*, source: SourceText, heard: Callable[[int], None] = _not_counted) -> Reading:
    """Return what one source says, condensed; `heard` gets the bytes of each piece."""
    condenser = Condenser(origin=source.origin)
    # All steps would be parsed to be dropped: most of what there is to read.
    reader = StreamReader(origin=source.origin, points_beside=SIGNS)
    number, position = 1, source.position()
    for piece in source.pieces():
        condenser.add(reader.feed(text=piece.text(), first_number=number))
        number += piece.line_count
        before, position = position, source.position()
        heard(position - before)
    condenser.add(reader.close())
    return condenser.reading()
