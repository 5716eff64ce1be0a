"""Whole clean lines out of bytes of any size, in bounded memory. Interprets nothing."""

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from apps.telemetry.formats.lines.complaints import REPORT_LIMIT, Complaints, Torn

LINE_LIMIT_BYTES = 2**20
STEP_BYTES = 256 * 1024
STAMP_BYTES = 8
CUT_MARK = " …[cut at 1 MiB]".encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePiece:
    """Consecutive lines of one set of labels: UTF-8, joined by newlines, none at the end."""

    labels: Mapping[str, str]
    text: bytes
    line_count: int
    stamps: bytes | None = None  # little-endian int64 nanoseconds, one a line


def blocks(
    *, source: Iterable[bytes], complaints: Complaints, first_line: int = 1
) -> Iterator[tuple[bytes, int]]:
    """Yield (clean text, line count) of whole lines, about as much at a time as the source gives.

    The source gives at most a mebibyte at a time.

    A coding that breaks ends the text: its good part is kept and the place is reported.
    """
    cutter = _Cutter(complaints=complaints, line=first_line)
    try:
        for data in source:
            yield from cutter.feed(data)
    except Torn as error:
        yield from cutter.end()
        complaints.add(line=cutter.line, code="torn", detail=str(error))
    else:
        yield from cutter.end()


def cut_between_lines(*, piece: LinePiece, most: int) -> Iterator[LinePiece]:
    """Yield a piece as it is, or in parts of at most so many bytes; a longer line stays whole."""
    text, at, first = piece.text, 0, 0
    while len(text) - at > most:
        end = text.rfind(b"\n", at, at + most + 1)
        end = text.find(b"\n", at + most) if end < 0 else end
        if end < 0:
            break
        count = text.count(b"\n", at, end) + 1
        yield _part(piece, slice(at, end), first, count)
        at, first = end + 1, first + count
    if not at:
        yield piece
        return
    yield _part(piece, slice(at, len(text)), first, piece.line_count - first)


def _part(piece: LinePiece, place: slice, first: int, count: int) -> LinePiece:
    stamps = piece.stamps
    if stamps is not None:
        stamps = stamps[STAMP_BYTES * first : STAMP_BYTES * (first + count)]
    return replace(piece, text=piece.text[place], line_count=count, stamps=stamps)


def clean(*, text: bytes, first_line: int, complaints: Complaints) -> bytes:
    """Return valid UTF-8 without NUL and carriage returns before line ends."""
    # One letter is found at once, two of them line by line.
    if b"\r" in text and (b"\r\n" in text or text.endswith(b"\r")):
        text = text.replace(b"\r\n", b"\n").removesuffix(b"\r")
    if b"\0" in text:
        _report(text, first_line, complaints, code="nul", test=_has_nul)
        text = text.replace(b"\0", b"")
    if not is_utf8(text=text):
        _report(text, first_line, complaints, code="invalid_utf8", test=_is_invalid)
        text = text.decode(errors="replace").encode()
    return text


def is_utf8(*, text: bytes) -> bool:
    """Say whether a text is UTF-8; in steps, as one letter of it may let all take four bytes."""
    if text.isascii():
        return True
    decode = codecs.getincrementaldecoder("utf-8")().decode
    try:
        for start in range(0, len(text), STEP_BYTES):
            decode(text[start : start + STEP_BYTES], start + STEP_BYTES >= len(text))
    except UnicodeDecodeError:
        return False
    return True


class _Cutter:
    """Cuts a stream of bytes into whole lines; an endless line is cut and its rest dropped."""

    def __init__(self, *, complaints: Complaints, line: int) -> None:
        self.complaints = complaints
        self.line = line
        self._carry = b""
        self._is_dropping = False

    def feed(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        """Take some bytes; yield the lines that are complete."""
        if self._is_dropping:
            data = self._after_long_line(data)
            if not data:
                return
        data = self._carry + data
        end = data.rfind(b"\n")
        if end < 0:
            self._keep(data)
            return
        head, tail = data[:end], data[end + 1 :]
        yield self._emit(self._with_first_cut(head))
        self._keep(tail)

    def end(self) -> Iterator[tuple[bytes, int]]:
        """Yield the last line, which needs no newline."""
        if self._carry:
            yield self._emit(self._carry)
        self._carry = b""

    def _after_long_line(self, data: bytes) -> bytes:
        end = data.find(b"\n")
        if end < 0:
            return b""
        self._is_dropping = False
        return data[end:]

    def _keep(self, rest: bytes) -> None:
        if len(rest) > LINE_LIMIT_BYTES:
            self._carry = self._shortened(rest, self.line)
            self._is_dropping = True
        else:
            self._carry = rest

    def _with_first_cut(self, head: bytes) -> bytes:
        """Only the first line of a block can be longer than a block of input."""
        first, newline, rest = head.partition(b"\n")
        if len(first) <= LINE_LIMIT_BYTES or first.endswith(CUT_MARK):
            return head
        return self._shortened(first, self.line) + newline + rest

    def _shortened(self, line: bytes, number: int) -> bytes:
        self.complaints.add(line=number, code="line_too_long", detail="cut at 1 MiB")
        return line[:LINE_LIMIT_BYTES] + CUT_MARK

    def _emit(self, text: bytes) -> tuple[bytes, int]:
        cleaned = clean(text=text, first_line=self.line, complaints=self.complaints)
        count = text.count(b"\n") + 1
        self.line += count
        return cleaned, count


def _report(
    text: bytes,
    first_line: int,
    complaints: Complaints,
    *,
    code: str,
    test: Callable[[bytes], bool],
) -> None:
    for number, line in enumerate(text.split(b"\n"), start=first_line):
        if complaints.count >= REPORT_LIMIT:
            return
        if test(line):
            complaints.add(line=number, code=code, detail=DETAILS[code])


def _has_nul(line: bytes) -> bool:
    return b"\0" in line


def _is_invalid(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False


DETAILS = {
    "nul": "NUL characters were left out",
    "invalid_utf8": "bytes that are not UTF-8 were replaced by U+FFFD",
}
