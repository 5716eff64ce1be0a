"""Whole clean lines out of bytes: where they are cut, and what is told of bad ones."""

from collections.abc import Iterator

import numpy as np
import pytest

from apps.telemetry.formats.lines import line_blocks
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.lines.line_blocks import (
    CUT_MARK,
    LinePiece,
    blocks,
    clean,
    cut_between_lines,
    is_utf8,
)


def read(*data: bytes, first_line: int = 1) -> tuple[list[bytes], list[tuple[int, str]]]:
    """Return the lines of some bytes, and line and code of what was wrong."""
    complaints = Complaints()
    found = list(blocks(source=data, complaints=complaints, first_line=first_line))
    assert [text.count(b"\n") + 1 for text, _ in found] == [count for _, count in found]
    lines = [line for text, _ in found for line in text.split(b"\n")]
    return lines, [(each.line, each.code) for each in complaints.kept]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ((), []),
        ((b"a",), [b"a"]),
        ((b"a\n",), [b"a"]),
        ((b"a\n\nb",), [b"a", b"", b"b"]),
        ((b"a", b"b\nc", b"\n", b"d"), [b"ab", b"c", b"d"]),
        ((b"\n",), [b""]),
    ],
)
def test_lines_are_whole_however_their_bytes_come(
    data: tuple[bytes, ...], lines: list[bytes]
) -> None:
    assert read(*data) == (lines, [])


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> int:
    """Let a line have four bytes."""
    monkeypatch.setattr(line_blocks, "LINE_LIMIT_BYTES", 4)
    return 4


@pytest.mark.parametrize(
    "data", [(b"abcde\nx",), (b"abcde", b"fgh\nx"), (b"abcde", b"f", b"gh", b"i\nx")]
)
def test_a_line_that_is_too_long_is_cut_and_its_rest_dropped(
    limit: int, data: tuple[bytes, ...]
) -> None:
    assert read(*data, first_line=7) == ([b"abcd" + CUT_MARK, b"x"], [(7, "line_too_long")])


@pytest.mark.parametrize("data", [(b"abcd\nx",), (b"ab", b"cd\nx"), (b"abcd", b"\nx")])
def test_a_line_of_just_the_limit_stays_whole(limit: int, data: tuple[bytes, ...]) -> None:
    assert read(*data) == ([b"abcd", b"x"], [])


def test_bad_bytes_are_told_by_their_line_and_the_rest_kept() -> None:
    assert read(b"ok\na\0b\n\xff\xc3\xa9", first_line=3) == (
        [b"ok", b"ab", "\ufffdé".encode()],
        [(4, "nul"), (5, "invalid_utf8")],
    )


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (b"a\r\nb\r", b"a\nb"),
        (b"a\r", b"a"),
        (b"10%\r20%", b"10%\r20%"),
        (b"10%\r20%\r\nb", b"10%\r20%\nb"),
        (b"a\r\r\nb", b"a\r\nb"),
    ],
)
def test_carriage_returns_go_before_line_ends_alone(text: bytes, cleaned: bytes) -> None:
    assert clean(text=text, first_line=1, complaints=Complaints()) == cleaned


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_letters_of_several_bytes_are_whole_across_steps(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(line_blocks, "STEP_BYTES", size)
    assert is_utf8(text="aé€😀".encode())
    assert not is_utf8(text="aé€😀".encode()[:-1])
    assert not is_utf8(text=b"\xffabcdef")


def parts(text: bytes, most: int) -> Iterator[tuple[bytes, int, list[int]]]:
    """Yield text, count and stamps of the parts of a piece."""
    count = text.count(b"\n") + 1
    stamps = np.arange(count, dtype="<i8").tobytes()
    piece = LinePiece(labels={}, text=text, line_count=count, stamps=stamps)
    for part in cut_between_lines(piece=piece, most=most):
        numbers = np.frombuffer(part.stamps or b"", "<i8").tolist()
        yield part.text, part.line_count, numbers


@pytest.mark.parametrize(
    ("text", "most", "told"),
    [
        (b"ab\ncd", 5, [(b"ab\ncd", 2, [0, 1])]),
        (b"ab\ncd", 4, [(b"ab", 1, [0]), (b"cd", 1, [1])]),
        (b"ab\ncd", 2, [(b"ab", 1, [0]), (b"cd", 1, [1])]),
        (b"a\nb\ncd", 3, [(b"a\nb", 2, [0, 1]), (b"cd", 1, [2])]),
        (b"abcdef\ng\nh", 3, [(b"abcdef", 1, [0]), (b"g\nh", 2, [1, 2])]),
        (b"a\nbcdef", 3, [(b"a", 1, [0]), (b"bcdef", 1, [1])]),
        (b"abcdef", 3, [(b"abcdef", 1, [0])]),
        (b"\nabc", 3, [(b"", 1, [0]), (b"abc", 1, [1])]),
    ],
)
def test_a_piece_is_cut_between_lines_and_a_longer_line_stays_whole(
    text: bytes, most: int, told: list[tuple[bytes, int, list[int]]]
) -> None:
    assert list(parts(text, most)) == told


def test_a_piece_without_stamps_has_parts_without() -> None:
    piece = LinePiece(labels={"host": "gpu017"}, text=b"ab\ncd", line_count=2)
    found = list(cut_between_lines(piece=piece, most=2))
    assert [(each.labels, each.stamps) for each in found] == [({"host": "gpu017"}, None)] * 2
