"""Steps, saves and loads come out of lines as numbers, whoever prints them."""

import pytest

from apps.diagnosis.model import Origin, PointKind, ProgressPoint
from apps.diagnosis.signatures.read import StreamReader, read_source

MEGATRON = (
    " [2026-02-11 11:06:{second:02}] iteration {step:8}/    1000 | consumed samples: {step:12} |"
    " elapsed time per iteration ({unit}): {took} | learning rate: 4.0E-05 |"
    " global batch size:    16 | lm loss: 1.072453E+01 | loss scale: 1.0 |"
)
TITAN = (
    "[titan] 2026-09-14 17:01:10,123 - root - INFO - step: 120  loss:  2.7182  grad_norm:  0.9133"
    "  memory: 61.20GiB(77.31%)  tps: 7,412  tflops: 402.11  mfu: 40.66%"
)


def points(text: str) -> tuple[ProgressPoint, ...]:
    """Return the points of a source."""
    return read_source(origin=Origin(source="a"), text=text).points


def steps(count: int) -> list[str]:
    """Return lines of so many steps, one a second."""
    return [MEGATRON.format(second=n % 60, step=n, unit="ms", took="820.7") for n in range(count)]


@pytest.mark.parametrize(("unit", "seconds"), [("ms", 0.8207), ("s", 820.7)])
def test_a_step_says_its_number_time_loss_and_batch(unit: str, seconds: float) -> None:
    (point,) = points(MEGATRON.format(second=7, step=20, unit=unit, took="820.7"))
    assert (point.kind, point.step, point.batch) == (PointKind.STEP, 20, 16)
    assert point.seconds == pytest.approx(seconds)
    assert point.loss == pytest.approx(10.72453)
    assert point.at is not None
    assert (point.at.second, point.is_local) == (7, True)


def test_a_step_says_its_rates() -> None:
    (point,) = points(TITAN)
    assert (point.step, point.tokens_per_second, point.tflops, point.mfu) == (
        *(120, 7412.0),
        *(402.11, 40.66),
    )


@pytest.mark.parametrize(
    ("line", "kind", "step", "seconds"),
    [
        ("saving checkpoint at iteration    1000 to /a in torch_dist", "save-begins", 1000, None),
        ("  successfully saved checkpoint from iteration    1000 to /a", "save-ends", 1000, None),
        (" loading checkpoint from /a at iteration 1000", "load-begins", 1000, None),
        ("[Torch] Saving global_step100/mp_rank_00_model_states.pt", "save-begins", None, None),
        ("[Torch] Saved global_step100/mp_rank_00_model_states.pt.", "save-ends", None, None),
        ("[Torch] Loading checkpoint from /a/mp_rank_00.pt...", "load-begins", None, None),
        ("[Torch] Loaded checkpoint from /a/mp_rank_00.pt.", "load-ends", None, None),
        ("INFO - Finished saving the checkpoint in 12.44 seconds.", "save-ends", None, 12.44),
    ],
)
def test_saves_and_loads_are_told_apart(
    line: str, kind: str, step: int | None, seconds: float | None
) -> None:
    (point,) = points(line)
    assert (point.kind, point.step, point.seconds) == (kind, step, seconds)


def test_a_loss_that_is_no_number_is_not_kept_as_one() -> None:
    line = MEGATRON.format(second=1, step=3, unit="ms", took="1.0").replace("1.072453E+01", "NAN")
    assert [point.loss for point in points(line)] == [None]


def test_wherever_a_source_is_cut_the_points_are_those_of_one_reading() -> None:
    lines = [*steps(30), "saving checkpoint at iteration 30 to /a", *steps(40)[30:]]
    for cut in (1, 17, 31, len(lines) - 1):
        first = StreamReader(origin=Origin(source="a"))
        found = first.feed(text="\n".join(lines[:cut]), first_number=1).points
        second = StreamReader(origin=Origin(source="a"), state=first.state)
        found += second.feed(text="\n".join(lines[cut:]), first_number=cut + 1).points
        assert found == points("\n".join(lines))
        assert len(found) == len(lines)


def test_of_a_file_in_which_every_rank_prints_its_steps_the_first_voices_are_followed() -> None:
    lines = [
        f"[rank{rank}]: step: {step} loss: 2.0 grad_norm: 1.0 memory: 1.0GiB(1.0%) tps: 7 "
        "tflops: 4.0 mfu: 4.0%"
        for step in range(20)
        for rank in range(64)
    ]
    found = points("\n".join(lines))
    assert {point.rank for point in found} == {0, 1, 2, 3}
    assert len(found) == 4 * 20
