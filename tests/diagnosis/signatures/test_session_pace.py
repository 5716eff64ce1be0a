"""Step times are kept in bounded memory, and tell a session that became slower."""
# ruff: noqa: E501  lines of logs keep their length

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, Event, Origin, VerdictStatus
from apps.diagnosis.signatures.progress.step_times import MOST, series_of
from apps.diagnosis.signatures.read import StreamReader, read_source
from apps.diagnosis.signatures.reader_state import STATE_LIMIT

LINES = {
    "megatron": " [2026-11-{day:02} 03:12:{second:02}] iteration {step:8}/  900000 | consumed samples:"
    " {step} | elapsed time per iteration (ms): {ms:.1f} | learning rate: 4.0E-05 | global batch"
    " size:    16 | lm loss: 1.07E+00 |",
    "torchtitan": "[rank0]:[titan] 2026-11-{day:02} 03:12:{second:02},123 - root - INFO - step: {step}"
    "  loss:  2.7182  grad_norm:  0.9133  memory: 61.20GiB(77.31%)  tps: {rate:,.0f}"
    "  tflops: 402.11  mfu: 40.66%",
    "deepspeed": "[2026-11-{day:02} 03:12:{second:02},936] [INFO] [timer.py:215:stop] epoch=0/"
    "micro_step={step}/global_step={step}, RunningAvgSamplesPerSec=120.69, CurrSamplesPerSec={rate}",
    "nemo": "Training epoch 0, iteration {step}/999999 | lr: 1.2e-05 | reduced_train_loss: 6.912"
    " | train_step_timing in s: {seconds:.3f}",
}
NOISE = np.random.default_rng(7).normal(1, 0.003, 5000)


def lines(times: Sequence[float], kind: str = "megatron") -> list[str]:
    """Return a log of steps that take so many ms."""
    return [
        LINES[kind].format(
            day=1 + step // 400 % 28, second=step % 60, step=step + 1,
            ms=ms, seconds=ms / 1e3, rate=1e7 / ms,
        )
        for step, ms in enumerate(times)
    ]  # fmt: skip


def steady(count: int, ms: float = 820.0) -> list[float]:
    return [float(ms * one) for one in NOISE[:count]]


def latest(text: str) -> Event:
    (event,) = read_source(origin=Origin(source="log"), text=text).progress
    return event


def said(**texts: str) -> Diagnosis:
    return diagnose(
        readings=[
            read_source(origin=Origin(source=host, host=host), text=text)
            for host, text in texts.items()
        ]
    )


@pytest.mark.parametrize("kind", LINES)
def test_the_latest_progress_carries_the_series(kind: str) -> None:
    stretch, values = series_of(latest("\n".join(lines(steady(30), kind))))
    assert (stretch, len(values)) == (1, 30)
    assert max(values) / min(values) < 1.03


def test_a_long_series_stays_small_and_keeps_its_shape() -> None:
    stretch, values = series_of(latest("\n".join(lines([*steady(3000), *steady(1500, 900)]))))
    assert stretch > 1
    assert len(values) < MOST
    assert values[-1] / values[0] == pytest.approx(900 / 820, rel=0.01)


def test_a_stall_of_single_steps_leaves_no_trace_in_a_long_series() -> None:
    times = steady(2000)
    times[100::250] = [9000.0] * len(times[100::250])
    _, values = series_of(latest("\n".join(lines(times))))
    assert max(values) / min(values) < 1.03


def test_what_begins_anew_has_a_series_of_its_own() -> None:
    text = "\n".join([*lines(steady(40)), *lines(steady(20, 1600))])
    assert series_of(latest(text))[1] == pytest.approx([1600 / 16] * 20, rel=0.02)


def test_a_larger_batch_is_not_a_slower_step() -> None:
    text = "\n".join(lines([*steady(30), *steady(30, 1640)]))
    grown = text.split("\n")[:30] + [
        line.replace("size:    16", "size:    32") for line in text.split("\n")[30:]
    ]
    assert said(n1="\n".join(grown)).verdict.status is VerdictStatus.UNKNOWN


@pytest.mark.parametrize("digits", [20, 5000])
def test_a_number_that_no_step_has_is_passed(digits: int) -> None:
    told = lines(steady(12), "nemo")
    odd = told[5].replace("iteration 6/", f"iteration {'9' * digits}/")
    reader = StreamReader(origin=Origin(source="log"))
    (event,) = reader.feed(text="\n".join([*told, odd]), first_number=1).progress
    assert len(series_of(event)[1]) == 12
    assert len(reader.state) <= STATE_LIMIT


@given(cuts=st.lists(st.integers(1, 599), max_size=8))
@settings(max_examples=25, deadline=None)
def test_a_series_read_in_cuts_is_the_same(cuts: list[int]) -> None:
    text, state, progress = lines([*steady(400), *steady(200, 900)]), None, []
    for start, end in pairwise([0, *sorted(set(cuts)), 600]):
        reader = StreamReader(origin=Origin(source="log"), state=state)
        progress = list(
            reader.feed(text="\n".join(text[start:end]), first_number=start + 1).progress
        )
        state = reader.state
        assert len(state) <= STATE_LIMIT
    assert progress[-1].fields["pace"] == latest("\n".join(text)).fields["pace"]


def test_many_voices_do_not_fill_the_state() -> None:
    reader = StreamReader(origin=Origin(source="log"))
    text = [f"[rank{rank}]: {line}" for line in lines(steady(200)) for rank in range(64)]
    reader.feed(text="\n".join(text), first_number=1)
    assert len(reader.state) <= STATE_LIMIT


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("counts", [(3, 3), (40, 40), (2000, 700)])
def test_steps_that_take_longer_and_go_on_so_are_a_possible_slow_member(
    kind: str, counts: tuple[int, int]
) -> None:
    verdict = said(n1="\n".join(lines([*steady(counts[0]), *steady(counts[1], 900)], kind))).verdict
    assert (verdict.status, verdict.cause) == (VerdictStatus.POSSIBLE, "slow-member")


@pytest.mark.parametrize(
    "times",
    [
        steady(4),
        steady(60),
        steady(900),
        [*steady(2, 9000), *steady(60)],  # a warm-up
        [*steady(40, 900), *steady(40)],  # it became faster
        [*steady(40), *steady(3, 4000), *steady(40)],  # a save
        [820.0 + 90 * (step % 2) for step in range(80)],  # two kinds of steps
    ],
)
def test_steady_steps_are_nobodys_fault(times: list[float]) -> None:
    assert said(n1="\n".join(lines(times))).verdict.status is VerdictStatus.UNKNOWN


def test_a_climb_is_a_rise_too() -> None:
    times = [one * (1 + step / 400) for step, one in enumerate(steady(200))]
    assert said(n1="\n".join(lines(times))).verdict.cause == "slow-member"


def test_a_failure_is_not_explained_by_slow_steps() -> None:
    text = "\n".join([*lines([*steady(40), *steady(40, 900)]), "RuntimeError: no such shard"])
    assert said(n1=text).verdict.cause != "slow-member"


def test_one_host_of_many_that_needs_longer_is_named() -> None:
    logs = {f"n{host}": "\n".join(lines(steady(20))) for host in range(4)}
    logs["n2"] = "\n".join(lines(steady(20, 1300)))
    verdict = said(**logs).verdict
    assert (verdict.cause, [one.host for one in verdict.culprits]) == ("slow-member", ["n2"])


def test_hosts_that_vary_alike_are_not_told_apart() -> None:
    logs = {f"n{host}": "\n".join(lines(steady(20, 820 + 40 * host))) for host in range(4)}
    assert said(**logs).verdict.status is VerdictStatus.UNKNOWN


def test_a_straggler_detection_names_rank_and_host() -> None:
    text = (
        "STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance."
        " Affected ranks: {StragglerId(rank=17, node='n8.hpc')}"
    )
    verdict = said(n0=text).verdict
    assert verdict.status is not VerdictStatus.UNKNOWN
    assert [one.host for one in verdict.culprits] == ["n8"]


def test_one_low_score_among_high_ones_names_its_host() -> None:
    scores = "\n".join(
        f"  Rank={rank} Node=n{rank // 4} Score={0.61 if rank == 5 else 0.97}" for rank in range(8)
    )
    verdict = said(log=scores).verdict
    assert (verdict.cause, [one.host for one in verdict.culprits]) == ("slow-member", ["n1"])
    assert said(log=scores.replace("0.61", "0.96")).verdict.status is VerdictStatus.UNKNOWN


@pytest.mark.parametrize("kind", sorted(LINES))
def test_a_step_that_is_cut_anywhere_is_read_as_far_as_it_goes(kind: str) -> None:
    (whole,) = lines([4000.0], kind)
    text = "\n".join(whole[:end] for end in range(len(whole)))
    assert read_source(origin=Origin(source="n0"), text=text).extents
