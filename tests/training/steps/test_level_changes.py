"""When steps became slower: soon, with the right factor, and not by a jitter or one long step."""

import numpy as np
import pytest

from apps.training.steps.level_changes import level_changes
from apps.training.steps.slow_spells import slow_spells
from tests.training.steps.runs import run

RANDOM = np.random.default_rng(11)
JITTER = 1 + np.clip(RANDOM.normal(0, 0.07 / 3, 300), -0.07, 0.07)


def slowed(by: float, *, since: int = 150, until: int = 300) -> list[float]:
    at = np.arange(300)
    seconds = 10 * JITTER * np.where((at >= since) & (at < until), by, 1.0)
    return [float(each) for each in seconds]


def test_an_even_run_has_no_change() -> None:
    assert level_changes(run(slowed(1.0))) == []


@pytest.mark.parametrize("by", [1.15, 1.3, 3.0])
def test_a_slow_down_is_found_within_three_steps(by: float) -> None:
    (change,) = level_changes(run(slowed(by)))

    assert change.is_slower
    assert 151 <= change.step <= change.found_step <= 153
    assert change.ratio == pytest.approx(by, rel=0.06)


def test_steps_that_become_quick_again_end_the_spell() -> None:
    times = run(slowed(1.3, until=200))
    changes = level_changes(times)
    (spell,) = slow_spells(times, changes)

    assert [each.is_slower for each in changes] == [True, False]
    assert (spell.first_step, spell.last_step) == (151, 200)
    assert spell.lost_seconds == pytest.approx(50 * 10 * 0.3, rel=0.1)


def test_one_long_step_is_no_change() -> None:
    seconds = slowed(1.0)
    seconds[200] *= 20

    assert level_changes(run(seconds)) == []


def test_attempts_are_judged_apart() -> None:
    times = [*run(slowed(1.0)), *run(slowed(2.0, since=0), attempt=2)]

    assert level_changes(times) == []


def test_too_few_steps_say_nothing() -> None:
    assert level_changes(run([1.0, 1.0, 1.0, 5.0, 5.0, 5.0])) == []


def test_steps_that_had_more_to_do_are_not_slow() -> None:
    work = np.where(np.arange(300) >= 150, 2.0, 1.0) * RANDOM.uniform(0.8, 1.2, 300)
    seconds = (4 * JITTER * (0.5 + work)).tolist()
    amounts = [(each,) for each in work.tolist()]

    assert level_changes(run(seconds, work=amounts)) == []
    assert level_changes(run(seconds)) != []


def test_slow_steps_are_found_whatever_they_had_to_do() -> None:
    work = RANDOM.uniform(1.0, 4.0, 300)
    seconds = np.array(slowed(1.2)) * (0.5 + work)
    (change,) = level_changes(run(seconds.tolist(), work=[(each,) for each in work.tolist()]))

    assert 151 <= change.step <= change.found_step <= 153
    assert change.ratio == pytest.approx(1.2, rel=0.06)


def test_a_run_that_only_became_quicker_has_no_slow_spell() -> None:
    times = run(slowed(0.7))

    assert slow_spells(times, level_changes(times)) == []


def test_an_even_run_has_no_slow_spell() -> None:
    assert slow_spells(run(slowed(1.0)), []) == []
