"""Steps: a tenth slower is told within a few steps, jitter never, longer sequences never."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.steps import STEPS
from apps.diagnosis.model import Anomaly, Band, BandKind, Frame, Notes, Scene, Signal
from tests.diagnosis.detection.detectors.past import MIDNIGHT, signal
from tests.diagnosis.detection.detectors.scene import nodes

TIME, SPEED = signal("training.step_time", "steps"), signal("training.tokens", "steps")
STEP, TIMES, SLOW_FROM = 2.0, 200, 120


def series(values: np.ndarray, watched: Signal = TIME) -> Frame:
    """Return rows of step times, one sample a step."""
    rows = nodes(tuple(f"n{row}" for row in range(len(values))))
    return Frame(
        signal=watched,
        entities=rows,
        start=MIDNIGHT,
        step=STEP,
        values=values,
    )


def jitter(rows: int, seed: int = 1) -> np.ndarray:
    """Return step times that vary by 7 % to both sides."""
    chance = np.random.default_rng(seed)
    times: np.ndarray = 2.0 * (1 + chance.uniform(-0.07, 0.07, (rows, TIMES)))
    return times


def told(*frames: Frame, scene: Scene | None = None) -> tuple[Anomaly, ...]:
    """Return what is told of some frames."""
    return STEPS.detect(frames, scene or Scene())


def test_a_thousand_healthy_runs_are_silent() -> None:
    assert not told(series(jitter(1000)))


def test_nearly_every_slowdown_is_told_and_within_how_many_steps() -> None:
    chance = np.random.default_rng(5)
    values = jitter(500, seed=6)
    slower = chance.uniform(1.10, 1.6, 500)
    values[:, SLOW_FROM:] *= slower[:, None]
    found = {each.entity.host: each for each in told(series(values))}
    assert len(found) >= 498
    late = np.array(
        [
            (found[f"n{row}"].noticed_at.timestamp() - MIDNIGHT) / STEP - SLOW_FROM + 1  # type: ignore[union-attr]  # told of all
            for row in range(500)
            if f"n{row}" in found
        ]
    )
    assert (late > 0).all()
    clear = slower[[f"n{row}" in found for row in range(500)]] >= 1.15
    assert np.mean(late[clear] <= 3) >= 0.98
    assert np.mean(late <= 3) >= 0.9
    assert np.max(late) <= 20


def test_how_much_slower_is_told() -> None:
    values = jitter(1)
    values[:, SLOW_FROM:] *= 1.4
    (anomaly,) = told(series(values))
    assert anomaly.value == pytest.approx(1.4, abs=0.05)
    assert anomaly.entity.host == "n0"


def test_a_single_slow_step_is_a_save() -> None:
    values = jitter(50)
    values[:, SLOW_FROM] *= 20
    assert not told(series(values))


def test_a_save_band_is_left_out() -> None:
    values = jitter(3)
    values[:, SLOW_FROM : SLOW_FROM + 20] *= 3
    frame = series(values)
    starts_at, ends_at = (
        datetime.fromtimestamp(MIDNIGHT + column * STEP, UTC)
        for column in (SLOW_FROM, SLOW_FROM + 20)
    )
    band = Band(kind=BandKind.SAVE, starts_at=starts_at, ends_at=ends_at)
    assert not told(frame, scene=Scene(bands=(band,)))


def test_longer_sequences_at_the_same_speed_are_no_slowdown() -> None:
    values = jitter(20)
    work = np.ones_like(values)
    work[:, SLOW_FROM:] = 2.0
    speed = 1000.0 * work / (values * work)
    assert not told(series(values * work), series(speed, SPEED))
    assert told(series(values * work))


def test_a_speed_alone_is_enough() -> None:
    values = jitter(1)
    values[:, SLOW_FROM:] *= 1.3
    (anomaly,) = told(series(5000.0 / values, SPEED))
    assert anomaly.value == pytest.approx(1.3, abs=0.05)


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    scale=st.sampled_from([1e-6, 1e-3, 1e3]),
    columns=st.integers(min_value=1, max_value=TIMES),
)
def test_unit_gaps_and_cuts_change_nothing(seed: int, scale: float, columns: int) -> None:
    chance = np.random.default_rng(seed)
    values = jitter(8, seed)
    values[3, SLOW_FROM:] *= 1.5
    values[chance.random(values.shape) < 0.2] = np.nan
    one = told(series(values))
    blocks = in_blocks_of(series(values * scale), columns)
    assert {each.entity.host for each in one} == {"n3"}
    assert [(a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in one] == [
        (a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in blocks
    ]


def in_blocks_of(whole: Frame, columns: int) -> list[Anomaly]:
    """Return the last word on each episode when the steps come in blocks."""
    notes, found = Notes(), {}
    for first in range(0, TIMES, columns):
        block = replace(
            whole, start=MIDNIGHT + first * STEP, values=whole.values[:, first : first + columns]
        )
        notes.worked.clear()
        for each in STEPS.notice([block], Scene(), notes):
            found[each.entity, each.starts_at] = each
    return list(found.values())
