"""Files that a person chose, tars among them → pieces; what is no log is left out, and named."""

import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any, Final

from apps.diagnosis.spelling import shown
from apps.telemetry.files import tar_members
from apps.telemetry.files.file_origins import OVERRIDES, parse_overrides
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.formats import upload
from apps.telemetry.formats.compression import coding
from apps.telemetry.formats.labels import BadLabels
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig, Torn
from apps.telemetry.formats.lines.line_blocks import LinePiece

MOST_FILES: Final = 10_000  # with lines, of one tar
MOST_OVERRIDES_BYTES: Final = 2**20
EMPTY: Final = "it is empty"
OTHERS: Final = "%(n)s of its files are metrics or notes, which are no logs"
NO_LOG: Final = "this tar holds no log"
NO_FILE: Final = "it is a link or a device, no file"
REASONS: Final = (
    *(EMPTY, OTHERS, NO_LOG, NO_FILE),
    *(upload.NOT_TAKEN, upload.NO_TEXT, upload.OTHER_KIND),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFile:
    """One file, with what may be taken of it at once."""

    name: str
    body: coding.Readable
    most_bytes: int
    most_decoded: int


def read_files(
    *, files: Iterable[ChosenFile], said: Mapping[str, str], complaints: Complaints
) -> Iterator[LinePiece]:
    """Yield the lines of all files; one that is no log is a complaint, and loses no other.

    Raises TooBig, which shows only once lines were given; the file is the one in `complaints`.
    """
    for file in files:
        complaints.file = shown(word=file.name)
        try:
            yield from _read(file, said, complaints)
        except NothingUsable as error:
            complaints.leave_out(why=error)
    complaints.file = ""


def _read(file: ChosenFile, said: Mapping[str, str], complaints: Complaints) -> Iterator[LinePiece]:
    source = coding.steps(body=file.body, limit=file.most_bytes)
    found, stream = coding.recognized(source=source)
    plain = coding.decoded(source=stream, coding=found, limit=file.most_decoded)
    head, plain = upload.begun(source=plain)
    if upload.is_tar(head=head):
        yield from _Tar(file, said, complaints).pieces(plain)
        return
    labels = upload.labels_of_file(name=file.name, said=said)
    count = 0
    for piece in upload.read_plain(source=plain, labels=labels, complaints=complaints):
        count += 1
        yield piece
    if not count:
        raise NothingUsable(EMPTY)


class _Tar:
    """The logs of one tar as it streams; what they unpack to counts together."""

    def __init__(self, file: ChosenFile, said: Mapping[str, str], complaints: Complaints) -> None:
        self._file, self._said, self._complaints = file, said, complaints
        self._name = complaints.file
        self._room = coding.UnpackBudget(limit=file.most_decoded)
        self._overrides: dict[str, Mapping[str, Any]] = {}
        self._log_count = self._other_count = 0

    def pieces(self, plain: Iterator[bytes]) -> Iterator[LinePiece]:
        """Yield the lines of all members; the good part of a torn tar is kept."""
        try:
            with tar_members.opened(plain=coding.IteratorFile(source=plain)) as archive:
                members = tar_members.members_of(archive=archive, size=self._file.most_bytes)
                for member in members:
                    yield from self._member(member, archive)
        except (tarfile.TarError, Torn) as error:
            self._complaints.file = self._name
            self._complaints.add(line=0, code="torn", detail=f"the tar is damaged: {error}")
        self._complaints.file = self._name
        if self._other_count:
            self._complaints.leave_out(why=NothingUsable(OTHERS, n=str(self._other_count)))
        if not self._log_count:
            raise NothingUsable(NO_LOG)

    def _member(self, member: tarfile.TarInfo, archive: tarfile.TarFile) -> Iterator[LinePiece]:
        inside = member.name.removeprefix("./")
        self._complaints.file = f"{self._name}: {shown(word=inside)}"
        body = archive.extractfile(member) if member.isfile() else None
        if body is None:
            if not member.isdir():
                self._complaints.leave_out(why=NothingUsable(NO_FILE))
        elif PurePosixPath(inside).name == OVERRIDES:
            self._overrides = _overrides(body.read(MOST_OVERRIDES_BYTES), self._complaints.file)
        elif upload.is_beside(name=inside, overrides=self._overrides):
            self._other_count += 1
        else:
            yield from self._log(inside, body)

    def _log(self, inside: str, body: IO[bytes]) -> Iterator[LinePiece]:
        self._log_count += 1
        if self._log_count > MOST_FILES:
            raise TooBig(f"it holds more than {MOST_FILES} files; send it in parts")
        said, overrides = self._said, self._overrides
        labels = upload.labels_of_file(name=inside, said=said, overrides=overrides)
        source = coding.steps(body=_Member(body), limit=self._room.limit)
        found, stream = coding.recognized(source=source)
        plain = coding.decoded(source=stream, coding=found, limit=self._room.limit)
        counted = self._room.counted(source=plain)
        try:
            yield from upload.read_plain(source=counted, labels=labels, complaints=self._complaints)
        except NothingUsable as error:
            self._complaints.leave_out(why=error)


class _Member:
    """The body of a member; where the tar ends in it, it is torn like any other."""

    def __init__(self, body: IO[bytes]) -> None:
        self._body = body

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, none at the end."""
        try:
            return self._body.read(size)
        except tarfile.TarError as error:
            raise Torn("the tar ends too early") from error


def _overrides(raw: bytes, where: str) -> dict[str, Mapping[str, Any]]:
    try:
        return parse_overrides(raw=raw, where=where)
    except UnusableInput as error:
        raise BadLabels(str(error)) from error
