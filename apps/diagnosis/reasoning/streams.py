"""Before the steps: a log of which only some lines say what kind it is.

NCCL's lines say that they are a session's; the launcher's and the framework's beside them, in the
same file, say nothing. Where no other kind of log speaks in a source, all of it is the session's.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from apps.diagnosis.model import Reading, Stream


def of_sessions(*, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings, those of sources in which only sessions speak called so."""
    spoke: dict[str, set[Stream]] = defaultdict(set)
    for one in readings:
        told = (event.line.stream for event in (*one.events, *one.progress))
        heard = (extent.stream for extent in one.extents)
        spoke[one.origin.source] |= {stream for stream in (*told, *heard) if stream is not None}
    return [
        _called(one) if spoke[one.origin.source] == {Stream.SESSION} else one for one in readings
    ]


def _called(reading: Reading) -> Reading:
    if reading.origin.stream is not None:
        return reading
    origin = replace(reading.origin, stream=Stream.SESSION)
    return replace(
        reading,
        origin=origin,
        events=tuple(replace(e, line=replace(e.line, origin=origin)) for e in reading.events),
        progress=tuple(replace(e, line=replace(e.line, origin=origin)) for e in reading.progress),
    )
