"""Saves and loads as spans, from lines that tell of them in many ways."""

from datetime import UTC, datetime, timedelta
from random import Random

from apps.diagnosis.model import PointKind, ProgressPoint
from apps.training.runs.checkpoints import CheckpointSpan, checkpoint_spans

AT = datetime(2026, 11, 9, 12, tzinfo=UTC)
STEP, BEGINS, ENDS = PointKind.STEP, PointKind.SAVE_BEGINS, PointKind.SAVE_ENDS


def at(second: float) -> datetime:
    """Return an instant of the run."""
    return AT + timedelta(seconds=second)


def point(
    kind: PointKind, second: float, step: int | None = None, seconds: float | None = None
) -> ProgressPoint:
    """Return a point at a second of the run."""
    return ProgressPoint(
        kind=kind, number=int(second) + 1, at=at(second), step=step, seconds=seconds
    )


def span(
    first: float | None, last: float | None, step: int | None = None, *, background: bool = False
) -> CheckpointSpan:
    """Return a save from second to second."""
    return CheckpointSpan(
        kind="save",
        starts_at=None if first is None else at(first),
        ends_at=None if last is None else at(last),
        step=step,
        is_background=background,
    )


def test_a_begin_and_its_end_are_one_save() -> None:
    found = checkpoint_spans([point(BEGINS, 10, 100), point(ENDS, 41, 100)])
    assert found == (span(10, 41, 100),)
    assert found[0].seconds == 31


def test_a_save_of_many_files_is_one() -> None:
    files = [each for n in range(8) for each in (point(BEGINS, 10 + n), point(ENDS, 20 + n))]
    assert checkpoint_spans(files) == (span(10, 27),)


def test_saves_with_a_step_between_are_two() -> None:
    found = checkpoint_spans(
        [point(BEGINS, 10), point(ENDS, 20), point(STEP, 25, 3), point(BEGINS, 30), point(ENDS, 40)]
    )
    assert found == (span(10, 20), span(30, 40))


def test_saves_of_two_steps_are_two_however_near() -> None:
    found = checkpoint_spans(
        [point(BEGINS, 10, 1), point(ENDS, 20, 1), point(BEGINS, 21, 2), point(ENDS, 31, 2)]
    )
    assert found == (span(10, 20, 1), span(21, 31, 2))


def test_an_end_that_says_how_long_it_took_needs_no_begin() -> None:
    assert checkpoint_spans([point(ENDS, 50, 7, seconds=12)]) == (span(38, 50, 7),)
    assert checkpoint_spans([point(ENDS, 50, 7)]) == (span(None, 50, 7),)


def test_a_save_that_no_line_ends_stays_open() -> None:
    (found,) = checkpoint_spans([point(BEGINS, 10, 7), point(STEP, 20, 8)])
    assert found == span(10, None, 7)
    assert found.seconds is None


def test_a_save_during_which_steps_go_on_is_in_the_background() -> None:
    steps = [point(STEP, second, second) for second in range(11, 20)]
    found = checkpoint_spans([point(BEGINS, 10, 7), *steps, point(ENDS, 20, 7)])
    assert found == (span(10, 20, 7, background=True),)


def test_one_step_that_ends_within_a_save_does_not_put_it_into_the_background() -> None:
    found = checkpoint_spans([point(BEGINS, 10, 7), point(STEP, 11, 7), point(ENDS, 20, 7)])
    assert found == (span(10, 20, 7),)


def test_loads_are_told_apart_from_saves() -> None:
    load = [point(PointKind.LOAD_BEGINS, 1, 7), point(PointKind.LOAD_ENDS, 9, 7)]
    found = checkpoint_spans([*load, point(BEGINS, 10, 8), point(ENDS, 12, 8)])
    assert [each.kind for each in found] == ["load", "save"]


def test_order_and_doubles_change_nothing() -> None:
    points = [
        each
        for n in range(20)
        for each in (
            point(BEGINS, 100 * n, n),
            point(ENDS, 100 * n + 30, n),
            point(STEP, 100 * n + 60, n),
        )
    ]
    expected = checkpoint_spans(points)
    assert len(expected) == 20
    for seed in range(5):
        mixed = points * 2
        Random(seed).shuffle(mixed)  # noqa: S311  no secret
        assert checkpoint_spans(mixed) == expected


def test_points_without_a_time_are_left_out() -> None:
    assert checkpoint_spans([ProgressPoint(kind=BEGINS, number=1)]) == ()
