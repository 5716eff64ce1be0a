"""Logs that end while the session makes steps: nothing in them says that it stopped."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.diagnosis.model import Diagnosis, EndState, VerdictStatus
from apps.offline.report import as_text
from tests.scenarios.verdicts import diagnosed

BEGAN = datetime(2026, 11, 20, 3, 1, tzinfo=UTC)
LOGGED = """2026-11-20 03:01:30,412 WARNING hub: upload of the model card failed, going on
Traceback (most recent call last):
  File "/app/hub.py", line 88, in upload_card
    response.raise_for_status()
requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: https://hub.internal/api
"""
MEMORY = """Traceback (most recent call last):
  File "/app/train.py", line 201, in evaluate
    out = model(batch)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.02 GiB is free.
"""  # noqa: E501  a line of a log
SHAPE = """2026-11-20 03:01:30,500 ERROR eval: skipped
Traceback (most recent call last):
  File "/app/eval.py", line 12, in score
    table[name]
KeyError: 'bleu'
"""
CAUGHT = pytest.mark.parametrize("raised", [LOGGED, MEMORY, SHAPE], ids=["logged", "memory", "key"])


MAIN = '  File "/app/train.py", line 340, in <module>\n    main()\n'
UNCAUGHT = [
    MEMORY.replace("  File", f"{MAIN}  File", 1),
    "".join(f"[rank0]: {line}\n" for line in MEMORY.splitlines()),
]


def _steps(first: int, last: int) -> str:
    lines = [
        f"{BEGAN + timedelta(seconds=one):%Y-%m-%d %H:%M:%S},120 INFO train: "
        f"step {one}/50000 loss {3.2 - one / 1000:.4f} lr 1.00e-04\n"
        for one in range(first, last + 1)
    ]
    return "".join(lines)


def _read(text: str) -> Diagnosis:
    return diagnosed(texts={"session/node12.log": text})


def _told(found: Diagnosis) -> str:
    return " ".join(as_text(diagnosis=found).split())


@CAUGHT
def test_what_steps_followed_stopped_nothing(raised: str) -> None:
    found = _read(_steps(1, 30) + raised + _steps(31, 90))
    assert (found.verdict.status, found.end_state) == (VerdictStatus.UNKNOWN, EndState.RUNNING)
    assert found.failed_at is None
    told = _told(found)
    assert "Nothing that was read says that it stopped" in told
    assert "step 90/50000" in told
    assert "Why did it stop?" not in told
    assert "looks like" not in told


@CAUGHT
def test_what_nothing_followed_may_have_stopped_it(raised: str) -> None:
    found = _read(_steps(1, 90) + raised)
    assert found.last_step is None
    assert found.end_state is not EndState.RUNNING


@CAUGHT
def test_a_step_that_was_done_when_it_failed_is_no_going_on(raised: str) -> None:
    found = _read(_steps(1, 30) + raised + _steps(31, 32))
    assert found.last_step is None


@pytest.mark.parametrize("raised", UNCAUGHT, ids=["interpreter", "PyTorch"])
def test_what_nobody_caught_ended_it_whatever_a_buffer_prints_below(raised: str) -> None:
    found = _read(_steps(1, 30) + raised + _steps(31, 90))
    assert (found.verdict.cause, found.last_step) == ("cuda-oom", None)


@CAUGHT
def test_what_steps_followed_is_no_cause_either_where_the_log_ends_otherwise(raised: str) -> None:
    saved = "2026-11-20 03:02:31,120 INFO train: evaluating on 400 batches\n" * 5
    found = _read(_steps(1, 30) + raised + _steps(31, 90) + saved)
    assert (found.verdict.status, found.last_step) == (VerdictStatus.UNKNOWN, None)


def test_a_log_that_is_cut_while_steps_are_made_asks_for_no_cause() -> None:
    found = _read(_steps(1, 90))
    assert found.end_state is EndState.RUNNING
    assert "Did it stop? Nothing that was read says that it stopped" in _told(found)
    assert {one.source for one in found.hypotheses[-1].missing} == {"scheduler-log"}


@pytest.mark.parametrize(
    "end",
    [
        "slurmstepd: error: *** JOB 4711 ON node12 CANCELLED AT 2026-11-20T03:02:40 ***\n",
        "[rank3]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2251\n",
        "Killed\n" * 5,
    ],
    ids=["cancelled", "failed", "others' words"],
)
def test_a_log_that_ends_with_other_words_is_not_open(end: str) -> None:
    assert _read(_steps(1, 90) + end).last_step is None


def test_the_last_step_of_all_is_no_open_end() -> None:
    text = _steps(1, 90).replace("/50000", "/90")
    assert _read(text).last_step is None


def test_what_the_kernel_tells_is_weighed_although_the_log_ends_at_a_step() -> None:
    kernel = (
        "2026-11-20T03:02:29,100000+00:00 node12 kernel: NVRM: Xid (PCI:0000:c1:00): 79, "
        "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
    )
    found = diagnosed(texts={"session/node12.log": _steps(1, 90), "kernel/node12.log": kernel})
    assert (found.verdict.cause, found.last_step) == ("gpu-off-bus", None)


def test_of_an_attempt_that_was_started_again_the_end_is_not_open() -> None:
    again = "I1120 03:03:26.301000 4021 torch/distributed/elastic/agent/server/api.py:877] [default] Worker group FAILED. 2/3 attempts left; will restart worker group\n"  # noqa: E501  a line of a log
    found = _read(_steps(1, 90) + again + _steps(150, 240))
    assert found.last_step is not None
    states = [one.end_state for one in found.attempts]
    assert states == [EndState.UNKNOWN, EndState.RUNNING]
