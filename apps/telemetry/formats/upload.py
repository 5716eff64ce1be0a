"""Plain files, one or many, packed or not → pieces."""

from collections.abc import Iterable, Iterator, Mapping

from apps.telemetry.files import describe
from apps.telemetry.formats import coding
from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.lines import Complaints, Piece, blocks


def read_file(
    *, source: Iterable[bytes], labels: Mapping[str, str], limit: int, complaints: Complaints
) -> Iterator[Piece]:
    """Yield the lines of one file in pieces; packed files are recognised by their first bytes."""
    named = naming.canonical(labels=labels)
    found, stream = coding.recognized(source=source)
    plain = coding.decoded(source=stream, coding=found, limit=limit)
    for text, count in blocks(source=plain, complaints=complaints):
        yield Piece(labels=named, text=text, line_count=count)


def labels_of_file(*, name: str, said: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of one of several files: what the sender said, then what its name says."""
    origin = describe(inside=name, stream=None, zone=None, overrides={})
    found = {"filename": name}
    if origin is not None:
        found |= {"stream": origin.stream or "", "host": origin.host or ""}
        found |= {} if origin.rank is None else {"rank": str(origin.rank)}
    return found | dict(said)
