"""Recoveries: marks of many ranks in any order become stages that add up to the millisecond."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.training.retries.recoveries import recoveries
from apps.training.retries.recovery_change import recovery_change, recovery_seconds
from apps.training.retries.recovery_marks import MarkKind, RecoveryMark, Stage, nvrx_marks

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINES = """
I0301 ft_launcher]   - Cycle: 1 Event: failure_detected Node: n7 Rank: 3 Time: 2026-03-01 12:00:00.000 UTC
  - Cycle: 1 Event: worker_terminated Node: n7 Rank: 3 Time: 2026-03-01 12:00:00.400 UTC
  - Cycle: 1 Event: worker_terminated Node: n8 Rank: 4 Time: 2026-03-01 12:00:01.000 UTC
  - Cycle: 1 Event: rendezvous_started Node: n7 Rank: 3 Time: 2026-03-01 12:00:01.100 UTC
  - Cycle: 1 Event: health_check_completed Node: n7 Rank: 3 Time: 2026-03-01 12:00:01.600 UTC
  - Cycle: 1 Event: rendezvous_completed Node: n7 Rank: None Time: 2026-03-01 12:00:02.000 UTC
  - Cycle: 1 Event: worker_start_started Node: n7 Rank: 3 Time: 2026-03-01 12:00:02.050 UTC
  - Cycle: 1 Event: worker_start_completed Node: n7 Rank: 3 Time: 2026-03-01 12:00:02.750 UTC
  - Cycle: 1 Event: attribution_get_started Node: n7 Rank: 3 Time: 2026-03-01 12:00:00.100 UTC
  - Cycle: 1 Event: attribution_get_completed Node: n7 Rank: 3 Time: 2026-03-01 12:00:01.300 UTC
  - Cycle: 0 Event: rendezvous_started Node: n7 Rank: 3 Time: 2026-03-01 09:00:00.000 UTC
  - Cycle: 0 Event: something_new Node: n7 Rank: 3 Time: 2026-03-01 09:00:00.000 UTC
""".splitlines()  # noqa: E501  as they are printed


def mark(
    kind: MarkKind, seconds: float, *, cycle: int | None = None, rank: str = ""
) -> RecoveryMark:
    return RecoveryMark(kind=kind, at=NOON + timedelta(seconds=seconds), cycle=cycle, rank=rank)


def test_the_nine_events_of_nvrx_become_stages() -> None:
    start, restart = recoveries(nvrx_marks(LINES))

    assert not start.is_restart
    assert restart.is_restart
    assert restart.total_ms == 2750
    assert {stage: part for stage, part in restart.by_stage.items() if part} == {
        Stage.TERMINATE: 1000,
        Stage.RENDEZVOUS: 500,
        Stage.HEALTH: 500,
        Stage.START: 750,
    }
    assert restart.attribution_ms == 1200


def test_a_recovery_is_complete_with_the_first_step_that_somebody_tells() -> None:
    marks = [*nvrx_marks(LINES), mark(MarkKind.FIRST_STEP, 9.5), mark(MarkKind.FAILED, -30.0)]
    *_, restart = recoveries(marks)

    assert restart.is_complete
    assert restart.by_stage[Stage.DETECT] == 30_000
    assert restart.by_stage[Stage.FIRST_STEP] == 6_750
    assert recovery_seconds([restart]) == [39.5]


def test_missing_marks_are_named_and_their_time_is_in_the_next_stage() -> None:
    (found,) = recoveries([mark(MarkKind.FAILURE_DETECTED, 0), mark(MarkKind.FIRST_STEP, 100)])

    assert found.by_stage[Stage.FIRST_STEP] == found.total_ms == 100_000
    assert MarkKind.LOAD_COMPLETED in found.missing


def test_a_failure_after_steps_begins_another_recovery() -> None:
    marks = [
        mark(MarkKind.FAILURE_DETECTED, 0),
        mark(MarkKind.FAILURE_DETECTED, 20, rank="7"),
        mark(MarkKind.FIRST_STEP, 60),
        mark(MarkKind.FAILED, 3000),
        mark(MarkKind.FAILURE_DETECTED, 3600),
        mark(MarkKind.FIRST_STEP, 3700),
    ]

    assert recovery_seconds(recoveries(marks)) == [60.0, 700.0]


@given(st.lists(st.tuples(st.sampled_from(list(MarkKind)), st.integers(0, 10**7)), min_size=1))
def test_stages_add_up_whatever_the_order_of_marks(drawn: list[tuple[MarkKind, int]]) -> None:
    marks = [mark(kind, at / 1000, cycle=1) for kind, at in drawn]
    shuffled = random.Random(1).sample(marks * 2, 2 * len(marks))  # noqa: S311  an order
    (found,) = recoveries(marks)

    assert recoveries(shuffled) == [found]
    assert all(part.milliseconds >= 0 for part in found.stages)
    assert found.total_ms == sum(found.by_stage.values())
    if found.stages:
        last = found.stages[-1]
        assert last.starts_at + timedelta(milliseconds=last.milliseconds) == (
            found.starts_at + timedelta(milliseconds=found.total_ms)
        )


def test_a_change_is_told_with_its_interval_whatever_the_order() -> None:
    before, after = [600.0 + 10 * at for at in range(30)], [300.0 + 10 * at for at in range(30)]
    change = recovery_change(before, after)

    assert change is not None
    assert change == recovery_change(before[::-1], after[::-1])
    assert change.change == pytest.approx(-300 / 745)
    assert change.interval[0] < change.change < change.interval[1] < 0
    assert change.is_clear


def test_a_few_recoveries_alike_change_nothing_clearly() -> None:
    change = recovery_change([100.0, 900.0, 400.0], [300.0, 800.0])

    assert change is not None
    assert not change.is_clear


def test_nothing_is_compared_with_nothing() -> None:
    assert recovery_change([], [1.0]) is None
