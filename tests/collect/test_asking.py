"""Programs that are asked: how much they may print, and what is said of those that fail."""

from pathlib import Path

import pytest

from apps.collect import asking
from apps.collect.asking import ProgramAnswer, ask

MOST = 9
TOO_MUCH = "it printed more than 0 MiB"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_BYTES", MOST)
    monkeypatch.setattr(asking, "BLOCK", 4)
    monkeypatch.setattr(asking, "SECONDS", 5.0)


@pytest.mark.parametrize(
    ("count", "complaint"),
    [
        (MOST - 1, ""),
        (MOST, "it printed more than 0 MiB"),
        (MOST * 9, "it printed more than 0 MiB"),
    ],
)
def test_a_program_may_print_less_than_the_limit(
    tmp_path: Path, count: int, complaint: str
) -> None:
    answer = ask(["printf", "x" * count], tmp_path / "out")
    assert (answer.complaint, answer.is_given) == (complaint, not complaint)
    assert (tmp_path / "out").stat().st_size == min(count, MOST)


def test_a_failure_is_told_in_its_programs_last_words_else_by_its_number(tmp_path: Path) -> None:
    said = [
        ask(["sh", "-c", script], tmp_path / "out")
        for script in ("echo one >&2; echo two >&2; exit 3", "exit 3", "echo one >&2")
    ]
    assert said == [
        ProgramAnswer(code=3, complaint="two"),
        ProgramAnswer(code=3, complaint="exit status 3"),
        ProgramAnswer(code=0),
    ]
    assert [one.is_given for one in said] == [False, False, True]


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert ask(["no-such-program"], tmp_path / "out").complaint == "no no-such-program here"
