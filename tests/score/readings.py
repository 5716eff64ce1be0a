"""What is read of files, in this process: scores compare verdicts, not speeds."""

from collections.abc import Iterable, Iterator

from apps.diagnosis.model import Reading
from apps.offline.reading.source_reading import read_source
from apps.telemetry.files.text_sources import SourceText


def read_all(*, sources: Iterable[SourceText]) -> Iterator[Reading]:
    """Yield what each source says, one after the other."""
    for source in sources:
        yield read_source(source=source)
