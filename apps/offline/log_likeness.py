"""Whether what was read looks like a log at all."""

from apps.diagnosis.model import Extent, Mark, Origin, Reading, Stream
from apps.diagnosis.signatures.marks import marked

# Zeros that a crash left in a file, and those of any other file that holds no text.
OF_ANY_FILE = marked(Mark.NO_TEXT)


def has_shape(*, reading: Reading) -> bool:
    """Return whether a line has a time, says who spoke, or means something to the catalog.

    What a person calls the log of a kernel, a scheduler or a part is believed to be one: a quiet
    one may print nothing that is known.
    """
    if reading.origin.stream not in {None, Stream.SESSION}:
        return any(extent.line_count for extent in reading.extents)
    told = (*reading.events, *reading.progress)
    return any(one.signature not in OF_ANY_FILE for one in told) or any(
        _is_shaped(extent, reading.origin) for extent in reading.extents
    )


def _is_shaped(extent: Extent, origin: Origin) -> bool:
    """Return whether lines say when they were printed, or more than where their file lay."""
    if extent.first_at is not None or extent.first_local_at is not None:
        return True
    known = (origin.rank, origin.host, origin.stream)
    return (extent.rank, extent.host, extent.stream) != known
