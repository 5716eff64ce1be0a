"""Lines that mean the same are judged alike, whichever program prints them."""
# ruff: noqa: E501  lines of logs keep their length

from datetime import timedelta

import pytest

from apps.diagnosis.model import Diagnosis, Event, Observation, Origin, Phase
from apps.diagnosis.reasoning.findings.wait_findings import derive
from apps.diagnosis.signatures.progress.step_times import series_of
from apps.diagnosis.signatures.read import read_source
from tests.diagnosis.events import after, event, watchdog
from tests.scenarios.verdicts import diagnosed

STEP = "INFO train: step {} loss 0.3292 lr 1.00e-02\n"
TITAN = "[titan] 2026-11-22 13:02:10,123 - root - INFO - {}\n"
FAILED = "RuntimeError: NCCL error: remote process exited or there was a network error\n"


def _read(*lines: str) -> Diagnosis:
    return diagnosed(texts={"session/gpu-n01/rank0.log": "".join(lines)})


def _waited_behind(*told: Event) -> list[Observation]:
    waits = [watchdog(rank, at=after(600), host=f"n{rank}") for rank in range(1, 8)]
    return derive(events=[*told, *waits], instant=lambda one: (one.line.at, timedelta(0)))


def test_a_save_that_outlasts_the_wait_of_gloo_is_what_the_others_waited_for() -> None:
    begun = event("checkpoint-save-start", at=after(-1), host="n0")
    waits = [
        event("gloo-wait-timeout", at=after(600), host=f"n{rank}", rank=rank, fields={"op": "read"})
        for rank in range(1, 8)
    ]
    found = derive(events=[begun, *waits], instant=lambda one: (one.line.at, timedelta(0)))
    assert [one.sign for one in found] == ["finding:save-outlasted-timeout"]


@pytest.mark.parametrize(
    "done",
    [
        "INFO:trainer:Checkpoint saved in 31 s\n",
        "  successfully saved checkpoint from iteration    1000 to /scratch/runs/run1\n",
        "[2026-11-22 13:45:10,100] [INFO] [engine.py:31:save] [Torch] Saved step100/mp_rank_00.pt.\n",
    ],
)
def test_after_a_save_the_session_goes_on_with_its_steps(done: str) -> None:
    found = _read(STEP.format(24), "INFO:trainer:Saving checkpoint.\n", done, FAILED)
    assert found.phase is Phase.ITERATE


def test_the_story_tells_of_a_save_of_lightning() -> None:
    save = "Epoch 2, global step 900: 'val_loss' reached 1.80 (best 1.80), saving model to '/ckpt/a.ckpt' as top 1\n"
    found = _read(save, FAILED)
    assert "lightning-ckpt-save" in {one.signature for one in found.timeline}


def test_a_script_that_starts_the_program_again_begins_another_series_of_steps() -> None:
    times = "".join(f"step={step} loss=2.31 step_time={{}}s\n" for step in range(1, 6))
    again = "[job.sh] program ended with status 1, attempt 3 of 4 in 30 s\n"
    text = times.replace("{}", "1.2") + again + times.replace("{}", "2.4")
    reading = read_source(origin=Origin(source="log"), text=text)
    assert [series_of(one)[1] for one in reading.progress if series_of(one)[1]] == [(2.4,) * 5]


@pytest.mark.parametrize("step", ["deepspeed-speed", "step-count", "torchft-commit"])
def test_a_step_of_any_program_says_that_the_save_before_it_was_over(step: str) -> None:
    begun = event("checkpoint-save-start", at=after(-60), host="n0")
    went_on = event(step, at=after(-20), host="n0", number=2)
    assert _waited_behind(begun, went_on) == []


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        ("Loading the checkpoint from outputs/step-500.", "finding:load-outlasted-timeout"),
        ("Finished loading the checkpoint in 611.20 seconds.", "finding:load-outlasted-timeout"),
        ("Saving the checkpoint (or staging if async is enabled).", "finding:save-outlasted-timeout"),
        ("Finished saving the checkpoint in 611.20 seconds.", "finding:save-outlasted-timeout"),
    ],
)  # fmt: skip
def test_a_checkpoint_of_torchtitan_is_saved_or_loaded_as_its_line_says(
    line: str, sign: str
) -> None:
    (read,) = read_source(origin=Origin(source="n0"), text=TITAN.format(line)).progress
    at = after(603 if "seconds" in line else -1)
    told = event(read.signature, at=at, host="n0", fields=read.fields)
    assert [one.sign for one in _waited_behind(told)] == [sign]
