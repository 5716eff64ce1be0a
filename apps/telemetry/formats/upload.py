"""Plain files, one or many, packed or not → pieces."""

from collections.abc import Iterable, Iterator, Mapping

from apps.diagnosis.dumps.lines import HEAD_BYTES, MOST_BYTES, as_text, looks_like_dump
from apps.diagnosis.input_values import rank_number
from apps.telemetry.files import describe
from apps.telemetry.formats import coding
from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.coding import STEP_BYTES
from apps.telemetry.formats.json_array import lines_of_array
from apps.telemetry.formats.lines import Archive, Complaints, NoText, Piece, Torn, blocks
from apps.telemetry.formats.records import ByRecord
from apps.telemetry.kinds import is_noise, kind_of

TAR_MAGIC = slice(257, 262)
ZIP_MAGIC = b"PK\x03\x04"
NOT_TAKEN = (
    "a tar or zip is not taken here: send the files in it, many in one form, "
    "or read a tar with manage.py diagnose"
)


def read_file(
    *,
    source: Iterable[bytes],
    labels: Mapping[str, str],
    limit: int,
    complaints: Complaints,
    is_json: bool = False,
) -> Iterator[Piece]:
    """Yield the lines of one file in pieces; packed files are recognised by their first bytes.

    Raises Archive for a tar or zip, NoText for what begins as no log does, packed or not.

    Of what its sender calls JSON an array becomes a line for each of its records, and a record's
    own labels count where none was said for all.
    """
    named = naming.canonical(labels=labels)
    found, stream = coding.recognized(source=source)
    plain = _without_dump(coding.decoded(source=stream, coding=found, limit=limit), named)
    if is_json:
        records = ByRecord(labels=named, complaints=complaints)
        for text, _ in blocks(source=lines_of_array(source=plain), complaints=complaints):
            yield from records.pieces(text=text)
        return
    for text, count in blocks(source=plain, complaints=complaints):
        yield Piece(labels=named, text=text, line_count=count)


def _without_dump(source: Iterator[bytes], labels: Mapping[str, str]) -> Iterator[bytes]:
    """Yield a file as it is, or the lines that stand for a dump."""
    begun: list[bytes] = []
    try:
        _gather(begun, source, HEAD_BYTES)
        _refuse_others(b"".join(begun))
        if looks_like_dump(head=b"".join(begun)):
            _gather(begun, source, MOST_BYTES)
            begun = _told(b"".join(begun), labels)
        elif is_noise(head=b"".join(begun)):
            raise NoText("the file is no log: its bytes are no text; UTF-8 is read, UTF-16 is not")
    except Torn:
        yield from begun
        raise
    yield from begun
    yield from source


def _refuse_others(head: bytes) -> None:
    if head[TAR_MAGIC] == b"ustar" or head.startswith(ZIP_MAGIC):
        raise Archive(NOT_TAKEN)
    if kind := kind_of(head=head):
        raise NoText(f"the file is no log, it is {kind}")


def _gather(begun: list[bytes], source: Iterator[bytes], wanted: int) -> None:
    size = sum(map(len, begun))
    while size < wanted and (data := next(source, b"")):
        begun.append(data)
        size += len(data)


def _told(data: bytes, labels: Mapping[str, str]) -> list[bytes]:
    rank = labels.get("rank", "")
    text = as_text(data=data, name=labels.get("filename", ""), rank=rank_number(rank))
    whole = data if text is None else text.encode()
    return [whole[at : at + STEP_BYTES] for at in range(0, len(whole), STEP_BYTES)]


def labels_of_file(*, name: str, said: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of one of several files: what the sender said, then what its name says."""
    origin = describe(inside=name, stream=None, zone=None, overrides={})
    found = {"filename": name}
    if origin is not None:
        found |= {"stream": origin.stream or "", "host": origin.host or ""}
        found |= {} if origin.rank is None else {"rank": str(origin.rank)}
    return found | dict(said)
