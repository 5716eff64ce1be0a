"""What is learnt from where, what a table is refused for, and what is said of what was found."""

import re
from dataclasses import replace

import numpy as np
import pytest

from apps.diagnosis.detection.baseline.score_spans import ScoreSpan
from apps.diagnosis.model import statement
from apps.offline.series.wide_columns import WideTable
from apps.offline.table_detection import Detection, FoundSpan, as_json, as_text, detect
from apps.telemetry.files.unusable_input import UnusableInput
from apps.wording.languages import speaker_of
from tests.diagnosis.detection.baseline.machine import table, with_burst

TRAIN = table(days=1, seed=1)
TEST = with_burst(table(days=1, seed=2), start=5, end=20, columns=(2, 5, 7))


def _table(
    test: np.ndarray, train: np.ndarray | None = None, step: float | None = None
) -> WideTable:
    return WideTable(test=test, train=train, names=None, step=step, notes=())


def _detect(one: WideTable, train: WideTable | None = None, step: float | None = None) -> Detection:
    return detect(table=one, train=train, step=step, pages_per_day=1.0, ranked=[(5, 20)])


def test_the_rows_of_another_table_go_before_the_tables_own_and_those_before_itself() -> None:
    alone = _detect(_table(TEST))
    own = _detect(_table(TEST, TRAIN))
    other = _detect(_table(TEST, TEST), _table(TRAIN))
    assert [one.is_own for one in (alone, own, other)] == [True, False, False]
    assert other.scores.tolist() == own.scores.tolist() != alone.scores.tolist()
    assert set(own.ranked[0].metrics[:3]) == {2, 5, 7}


def test_tables_of_other_columns_are_refused() -> None:
    for one, train in ((_table(TEST), _table(TRAIN[:, 1:])), (_table(TEST, TRAIN[:, 1:]), None)):
        with pytest.raises(UnusableInput, match=f"has {TEST.shape[1]} columns, the one to learn"):
            _detect(one, train)


def test_how_far_rows_are_apart_is_taken_as_said_else_by_their_times_else_assumed() -> None:
    short = TRAIN[:200]
    for one, train, said, step, told_by in (
        (_table(short, step=30.0), None, 10.0, 10.0, "said"),
        (_table(short, step=30.0), _table(short, step=20.0), None, 30.0, "times"),
        (_table(short), _table(short, step=20.0), None, 20.0, "times"),
        (_table(short), None, None, 60.0, "assumed"),
    ):
        found = _detect(one, train, said)
        assert (found.step, found.step_told_by) == (step, told_by)


def _found(**changes: object) -> Detection:
    span = FoundSpan(spell=ScoreSpan(start=1, end=3, score=2.5), metrics=(1, 0))
    plain = Detection(
        threshold=2.0,
        scores=np.array([0.0, 2.0, 2.5, 1.0]),
        episodes=(span,),
        ranked=(),
        names=None,
        step=60.0,
        step_told_by="assumed",
        is_own=False,
        notes=(),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_the_text_counts_rows_at_the_threshold_and_names_columns_and_times_where_known() -> None:
    one = _found()
    assert "2 rows at or above it, 1 episode\n" in as_text(one)
    assert "rows 1 to 2: score 2.50; columns 1, 0" in as_text(one)
    assert "0 episodes" in as_text(_found(episodes=()))
    assert "learnt and scored" not in as_text(one)
    assert "learnt and scored" in as_text(_found(is_own=True))
    named = as_text(_found(names=("a", "b"), times=["t0", "t1", "t2", "t3"]))
    assert "rows 1 to 2 (t1 to t2): score 2.50; columns 1 (b), 0 (a)" in named


def test_the_json_has_names_and_asked_rows_only_where_there_are_any() -> None:
    one = _found()
    assert set(as_json(one)) == {"schema", "threshold", "scores", "episodes"}
    more = as_json(_found(names=("a", "b"), ranked=one.episodes))
    assert more["columns"] == ["a", "b"]
    assert (
        more["ranked"]
        == more["episodes"]
        == [{"start": 1, "end": 3, "score": 2.5, "metrics": [1, 0]}]
    )


def test_the_text_is_said_in_the_readers_language() -> None:
    note = statement("column-without-numbers", column=3, name="fan")
    found = _found(notes=(note,), is_own=True, ranked=(_found().episodes[0],))
    korean = as_text(found, speaker=speaker_of(language="ko"))
    assert not re.search("[a-z]{2,}", korean.replace("fan", ""))
    assert len(korean.splitlines()) == len(as_text(found).splitlines())
