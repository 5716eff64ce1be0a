"""Lines with times: in order, each once, cut and repeated as their entries say."""

from datetime import UTC, datetime

import numpy as np
import pytest

from apps.telemetry.formats import line_merge, timed_entries
from apps.telemetry.formats.line_merge import (
    Lines,
    LineTimes,
    instant,
    nanoseconds,
    without_repeated,
    without_stamped,
)
from apps.telemetry.formats.lines.complaints import Complaints, TooBig
from apps.telemetry.formats.lines.line_blocks import CUT_MARK, LinePiece
from apps.telemetry.formats.timed_entries import Entries, piece_of


def stamped(**told: str) -> Lines:
    """Return lines by their time: `_1="a b"` is two lines of time 1."""
    rows = [(int(name[1:]), word) for name, words in told.items() for word in words.split()]
    stamps = np.array([at for at, _ in rows], np.int64)
    text = "\n".join(word for _, word in rows).encode()
    return Lines(text=text, line_count=len(rows), stamps=stamps)


def rows(lines: Lines | None) -> list[tuple[int, str]] | None:
    """Return time and text of each line."""
    if lines is None or lines.stamps is None:
        return None
    assert lines.line_count == len(lines.stamps)
    return list(zip(lines.stamps.tolist(), lines.text.decode().split("\n"), strict=True))


@pytest.mark.parametrize(
    ("parts", "merged"),
    [
        ([stamped(_1="a"), stamped(_2="b")], [(1, "a"), (2, "b")]),
        ([stamped(_2="b"), stamped(_1="a")], [(1, "a"), (2, "b")]),
        ([stamped(_1="b a"), stamped(_1="c b")], [(1, "b"), (1, "a"), (1, "c")]),
        ([stamped(_1="a"), stamped(_2="a")], [(1, "a"), (2, "a")]),
        ([stamped(_1="a", _3="c"), stamped(_2="b", _3="c")], [(1, "a"), (2, "b"), (3, "c")]),
    ],
)
def test_parts_are_one_by_time_and_ties_stay_as_they_came(
    parts: list[Lines], merged: list[tuple[int, str]]
) -> None:
    assert rows(line_merge.in_order(parts=parts)) == merged


def test_stamped_lines_are_new_by_time_and_text() -> None:
    new = stamped(_1="a b", _2="a")
    assert without_stamped(lines=new, known=[]) is new
    assert rows(without_stamped(lines=new, known=[stamped(_1="a")])) == [(1, "b"), (2, "a")]
    assert without_stamped(lines=new, known=[stamped(_1="b a"), stamped(_2="a")]) is None
    unstamped = Lines(text=b"a", line_count=1)
    assert without_stamped(lines=new, known=[unstamped]) is new


def test_lines_of_a_file_are_new_by_text_and_how_often_it_was_there() -> None:
    def left(text: bytes, *known: bytes) -> bytes | None:
        lines = Lines(text=text, line_count=text.count(b"\n") + 1)
        had = [Lines(text=each, line_count=each.count(b"\n") + 1) for each in known]
        found = without_repeated(lines=lines, known=had)
        return found.text if found else None

    assert left(b"a\nb\na") == b"a\nb\na"
    assert left(b"a\nb\na", b"a") == b"b\na"
    assert left(b"a\nb\na", b"a", b"a\nc") == b"b"
    assert left(b"a\nb", b"b\na\na") is None
    assert left(b"a", b"c") == b"a"


def test_instants_come_and_go_and_what_no_calendar_holds_is_cut() -> None:
    at = datetime(2026, 11, 21, 2, 0, 0, 123456, tzinfo=UTC)
    assert instant(nanoseconds=nanoseconds(at=at) + 999) == at
    assert instant(nanoseconds=2**63 * 1000) == datetime.max.replace(tzinfo=UTC)
    assert instant(nanoseconds=-(2**63) * 1000) == line_merge.EPOCH
    times = LineTimes(np.array([0, 10**9]))
    assert (len(times), times[1].second, len(times[1:])) == (2, 1, 1)


def piece(*told: tuple[int, str]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the lines of entries, and line and code of what was wrong."""
    complaints = Complaints()
    lines = [text for _, text in told]
    stamps = np.array([at for at, _ in told], np.int64)
    entries = Entries(stamps=stamps, lines=lines, text="\n".join(lines))
    found = piece_of(labels={"host": "gpu017"}, entries=entries, complaints=complaints)
    assert found
    at = np.frombuffer(found.stamps or b"", "<i8").tolist()
    assert found.line_count == len(at)
    wrong = [(each.line, each.code) for each in complaints.kept]
    return list(zip(at, found.text.decode().split("\n"), strict=True)), wrong


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        ([(1, "a")], [(1, "a")]),
        ([(2, "b"), (1, "a")], [(1, "a"), (2, "b")]),
        ([(1, "b"), (1, "a")], [(1, "b"), (1, "a")]),
        ([(2, "c\nd"), (1, "a\nb\n")], [(1, "a"), (1, "b"), (2, "c"), (2, "d")]),
    ],
)
def test_entries_become_lines_by_time_each_with_the_time_of_its_entry(
    told: list[tuple[int, str]], lines: list[tuple[int, str]]
) -> None:
    assert piece(*told) == (lines, [])


def test_a_line_beyond_the_limit_is_cut_and_one_of_the_limit_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timed_entries, "LINE_LIMIT_BYTES", 4)
    assert piece((1, "abcd"), (2, "efgh")) == ([(1, "abcd"), (2, "efgh")], [])
    cut = f"efgh{CUT_MARK.decode()}"
    assert piece((1, "abcd"), (2, "efghi")) == ([(1, "abcd"), (2, cut)], [(2, "line_too_long")])


def test_as_many_lines_as_the_limit_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_entries, "LINES_LIMIT", 2)
    assert len(piece((1, "a\nb"))[0]) == 2
    with pytest.raises(TooBig):
        piece((1, "a\nb\nc"))


def test_nothing_is_no_piece_and_labels_that_are_none_are_told() -> None:
    complaints = Complaints()
    nothing = Entries(stamps=np.empty(0, np.int64), lines=[], text="")
    assert piece_of(labels={}, entries=nothing, complaints=complaints) is None
    assert complaints.count == 0
    one = Entries(stamps=np.zeros(1, np.int64), lines=["a"], text="a")
    assert piece_of(labels={"note": "v" * 10**6}, entries=one, complaints=complaints) is None
    assert [each.code for each in complaints.kept] == ["bad_labels"]


def test_pieces_are_put_in_order_only_where_one_goes_back() -> None:
    def made(*told: int) -> LinePiece:
        text = "\n".join(f"l{at}" for at in told).encode()
        stamps = np.array(told, "<i8").tobytes()
        return LinePiece(labels={}, text=text, line_count=len(told), stamps=stamps)

    forward = [made(1, 2), made(2, 3)]
    assert timed_entries.in_order(pieces=forward) is forward
    (one,) = timed_entries.in_order(pieces=[made(1, 4), made(2, 3)])
    assert (one.text, one.line_count) == (b"l1\nl2\nl3\nl4", 4)
