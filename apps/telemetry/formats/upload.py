"""Plain files, one or many, packed or not → pieces."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from apps.diagnosis.dumps.dump_lines import HEAD_BYTES, MOST_BYTES, as_text, looks_like_dump
from apps.diagnosis.input_values import rank_number
from apps.telemetry.files.file_magic import is_noise, kind_of
from apps.telemetry.files.file_origins import describe
from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.compression import coding
from apps.telemetry.formats.compression.coding import STEP_BYTES
from apps.telemetry.formats.json_array import lines_of_array
from apps.telemetry.formats.lines.complaints import Archive, Complaints, NoText, Torn
from apps.telemetry.formats.lines.line_blocks import LinePiece, blocks
from apps.telemetry.formats.records import ByRecord

Overrides = Mapping[str, Mapping[str, Any]]  # path → what its owner says of it
NO_OVERRIDES: Overrides = MappingProxyType({})
TAR_MAGIC = slice(257, 262)
ZIP_MAGIC = b"PK\x03\x04"
NOT_TAKEN = (
    "a tar or zip is not taken here: send the files in it, many in one form; the page Upload and "
    "manage.py diagnose read a tar"
)
NO_TEXT = "the file is no log: its bytes are no text; UTF-8 is read, UTF-16 is not"
OTHER_KIND = "the file is no log, it is %(kind)s"


def read_file(
    *,
    source: Iterable[bytes],
    labels: Mapping[str, str],
    limit: int,
    complaints: Complaints,
    is_json: bool = False,
) -> Iterator[LinePiece]:
    """Yield the lines of one file in pieces; packed files are recognised by their first bytes.

    Raises Archive for a tar or zip, NoText for what begins as no log does, packed or not.

    Of what its sender calls JSON an array becomes a line for each of its records, and a record's
    own labels count where none was said for all.
    """
    found, stream = coding.recognized(source=source)
    plain = coding.decoded(source=stream, coding=found, limit=limit)
    if not is_json:
        yield from read_plain(source=plain, labels=labels, complaints=complaints)
        return
    named = naming.canonical(labels=labels)
    records = ByRecord(labels=named, complaints=complaints)
    source = lines_of_array(source=_without_dump(plain, named))
    for text, _ in blocks(source=source, complaints=complaints):
        yield from records.pieces(text=text)


def read_plain(
    *, source: Iterator[bytes], labels: Mapping[str, str], complaints: Complaints
) -> Iterator[LinePiece]:
    """Yield the lines of one unpacked file in pieces; raise Archive and NoText."""
    named = naming.canonical(labels=labels)
    for text, count in blocks(source=_without_dump(source, named), complaints=complaints):
        yield LinePiece(labels=named, text=text, line_count=count)


def begun(*, source: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes of a file, and all of it; a coding that breaks there breaks later."""
    first: list[bytes] = []
    torn: list[Torn] = []
    try:
        _gather(first, source, HEAD_BYTES)
    except Torn as error:
        torn.append(error)
    return b"".join(first), _resumed(first, source, torn)


def _resumed(
    first: Sequence[bytes], source: Iterator[bytes], torn: Sequence[Torn]
) -> Iterator[bytes]:
    yield from first
    for error in torn:
        raise error
    yield from source


def is_tar(*, head: bytes) -> bool:
    """Say whether a file that begins so is a tar."""
    return head[TAR_MAGIC] == b"ustar"


def is_beside(*, name: str, overrides: Overrides) -> bool:
    """Say whether a file of a tar is one of those that lie beside logs: metrics, notes."""
    return describe(inside=name, stream=None, zone=None, overrides=overrides) is None


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
            raise NoText(NO_TEXT)
    except Torn:
        yield from begun
        raise
    yield from begun
    yield from source


def _refuse_others(head: bytes) -> None:
    if is_tar(head=head) or head.startswith(ZIP_MAGIC):
        raise Archive(NOT_TAKEN)
    if kind := kind_of(head=head):
        raise NoText(OTHER_KIND, kind=kind)


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


def labels_of_file(
    *, name: str, said: Mapping[str, str], overrides: Overrides = NO_OVERRIDES
) -> dict[str, str]:
    """Return the labels of one of several files: what the sender said, then what its name says."""
    origin = describe(inside=name, stream=None, zone=None, overrides=overrides)
    found = {"filename": name[-naming.VALUE_BYTES :]}
    if origin is not None:
        found |= {"stream": origin.stream or "", "host": origin.host or ""}
        found["tz"] = origin.zone or ""
        found |= {} if origin.rank is None else {"rank": str(origin.rank)}
    return found | dict(said)
