"""What is said of files that tell nothing: which, why, and what is wanted instead."""

from pathlib import Path

import pytest

from apps.diagnosis.model import Extent, Origin, Reading, Stream
from apps.offline.input_errors import MOST_LEFT_OUT, MOST_NAMES, complaint, left_out, remark
from apps.offline.log_likeness import has_shape
from tests.diagnosis.events import NOON, event

LINES = Extent(host=None, rank=None, stream=None, line_count=2, first_at=None, last_at=None)


def reading(name: str, *, is_silent: bool = False) -> Reading:
    """Return a file of two lines that are like no log, or of none."""
    return Reading(origin=Origin(source=name), events=(), extents=() if is_silent else (LINES,))


def test_a_file_that_holds_no_text_is_named_beside_others(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("step 1\n")
    (tmp_path / "b.bin").write_bytes(bytes(range(1, 7)) * 50)
    paths = [str(tmp_path / "a.log"), str(tmp_path / "b.bin"), "-"]
    told = [reading("a.log"), reading("b.bin", is_silent=True), reading("-", is_silent=True)]
    said = left_out(paths=paths, readings=told)
    assert said == f"not read: {tmp_path}/b.bin: it holds bytes that are no text"
    assert left_out(paths=paths, readings=told[:1]) is None
    assert left_out(paths=["-"], readings=told[2:]) is None


def test_in_a_folder_an_empty_file_is_nothing_to_speak_of(tmp_path: Path) -> None:
    for number in range(MOST_LEFT_OUT + 1):
        (tmp_path / f"{number:02}.bin").write_bytes(b"\x01" * 50)
    (tmp_path / "empty.log").write_bytes(b"")
    names = [f"{number:02}.bin" for number in range(MOST_LEFT_OUT + 1)]
    told = [reading(name, is_silent=True) for name in (*names, "empty.log")]
    said = left_out(paths=[str(tmp_path)], readings=told) or ""
    assert said.count("no text") == MOST_LEFT_OUT
    assert said.endswith("; and 1 more")
    said = left_out(paths=[str(tmp_path)], readings=told[1:]) or ""
    assert said.count("no text") == MOST_LEFT_OUT
    assert not said.endswith("more")
    assert left_out(paths=[str(tmp_path)], readings=told[-1:]) is None


def test_an_input_without_a_line_is_refused_with_what_each_file_is(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "blank").write_text("\n\n")
    (tmp_path / "folder").mkdir()
    for name, why in (
        ("empty", "it is empty"),
        ("blank", "no line of text"),
        ("folder", "no file of text in this folder"),
    ):
        said = complaint(paths=[str(tmp_path / name)], readings=[reading(name, is_silent=True)])
        assert (said or "").startswith(f"{tmp_path / name}: {why}; name what the session printed")
    nothing = complaint(paths=["-"], readings=[reading("-", is_silent=True)]) or ""
    assert nothing.startswith("nothing to read: name what")


def test_lines_of_text_are_read_and_lines_of_bytes_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\nworld\n")
    (tmp_path / "b.bin").write_bytes(b"\x01\x02\n" * 50)
    text, binary = str(tmp_path / "a.txt"), str(tmp_path / "b.bin")
    told = [reading("a.txt")]
    assert complaint(paths=[text], readings=told) is None
    assert complaint(paths=[text, binary], readings=told) is None
    assert complaint(paths=["-"], readings=told) is None
    assert "bytes that are no text" in (complaint(paths=[binary], readings=told) or "")
    assert complaint(paths=[binary, str(tmp_path / "gone")], readings=told) is None


@pytest.mark.parametrize(
    ("raw", "is_text"),
    [
        (b"\x1b[31mred\x1b[0m\t\x07\r\n", True),
        (b"a" * 97 + b"\x01" * 3, True),
        (b"a" * 96 + b"\x01" * 4, False),
        ("word\n".encode("utf-16"), True),
        (b"\x1f" * 9, False),
        (b" " * 9, True),
    ],
)
def test_a_few_odd_signs_leave_a_text_one(tmp_path: Path, raw: bytes, *, is_text: bool) -> None:
    (tmp_path / "a").write_bytes(raw)
    found = complaint(paths=[str(tmp_path / "a")], readings=[reading("a")])
    assert (found is None) is is_text


def test_text_that_looks_like_no_log_is_remarked_on_by_the_names_of_a_few() -> None:
    one = remark(paths=["-"], readings=[reading("-")]) or ""
    assert one.startswith("standard input: no line in it (2 read)")
    names = [f"{number}.txt" for number in range(MOST_NAMES + 1)]
    said = remark(paths=names, readings=[reading(name) for name in names]) or ""
    assert said.startswith("0.txt, 1.txt, 2.txt and 1 more: no line in them (8 read)")
    three = remark(paths=names[:-1], readings=[reading("a")]) or ""
    assert three.startswith("0.txt, 1.txt, 2.txt: no line in them")


def test_a_log_has_a_message_that_is_known_or_a_shape() -> None:
    plain = reading("a")
    assert not has_shape(reading=plain)
    log = event("pg-watchdog-timeout")
    for like in (
        Reading(origin=plain.origin, events=(log,), extents=(LINES,)),
        Reading(origin=Origin(source="a", stream=Stream.KERNEL), events=(), extents=(LINES,)),
    ):
        assert has_shape(reading=like)
        assert complaint(paths=[], readings=[plain, like]) is None
        assert remark(paths=["a", "b"], readings=[plain, like]) is None
    dated = Extent(host=None, rank=None, stream=None, line_count=1, first_at=NOON, last_at=NOON)
    assert has_shape(reading=Reading(origin=plain.origin, events=(), extents=(dated,)))
