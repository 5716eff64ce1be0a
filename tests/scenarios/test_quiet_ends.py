"""Where nothing broke the note quotes the line that tells of the end, and says how sure it is."""

import pytest

from apps.diagnosis.model import Diagnosis, VerdictStatus
from apps.offline.report import as_text
from tests.scenarios.verdicts import diagnosed

STEPS = "".join(
    f"[2026-11-20 03:01:{second:02d}] iteration {second:8d}/   50000 | consumed samples: 640 | "
    "elapsed time per iteration (ms): 1002.1 | global batch size:    64 | lm loss: 3.2E+00 |\n"
    for second in range(1, 60)
)
STEPD = "slurmstepd: error: *** JOB 4711 ON node12 CANCELLED AT 2026-11-20T03:02:40 "
WALLTIME = f"{STEPD}DUE TO TIME LIMIT ***\n"
PREEMPTED = f"{STEPD}DUE TO PREEMPTION ***\n"
CANCELLED = f"{STEPD}***\n"
MEGATRON = "[2026-11-20 03:02:40] [after training is done] datetime: 2026-11-20 03:02:40\n"
TORCHRUN = "I1120 03:02:40.301000 4021 torch/distributed/elastic/agent/server/api.py:866] [default] worker group successfully finished. Waiting 300 seconds for other agents to finish.\n"  # noqa: E501  a line of a log
MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.02 GiB is free.\n"  # noqa: E501  a line of a log


def _read(text: str) -> Diagnosis:
    return diagnosed(texts={"slurm-4711.out": text})


@pytest.mark.parametrize(
    ("end", "quoted"),
    [
        (WALLTIME, "DUE TO TIME LIMIT ***"),
        (PREEMPTED, "DUE TO PREEMPTION ***"),
        (CANCELLED, "CANCELLED AT 2026-11-20T03:02:40 ***"),
        (MEGATRON, "[after training is done]"),
        (TORCHRUN, "worker group successfully finished"),
    ],
    ids=["walltime", "preempted", "cancelled", "megatron", "torchrun"],
)
def test_the_line_that_tells_of_the_end_is_quoted(end: str, quoted: str) -> None:
    found = _read(STEPS + end)
    why = as_text(diagnosis=found).split("\n\n", 1)[0]
    assert found.verdict.status is VerdictStatus.NO_FAILURE
    assert quoted in " ".join(why.split())
    assert "slurm-4711.out:60" in why
    assert "How sure it is that nothing broke: 0.90" in why


@pytest.mark.parametrize("end", [WALLTIME, CANCELLED], ids=["walltime", "cancelled"])
def test_what_is_stated_is_nothing_else_that_was_considered(end: str) -> None:
    assert "process-killed" not in as_text(diagnosis=_read(STEPS + end))


def test_the_limit_that_was_reached_is_no_beginning_of_a_failure() -> None:
    assert "began to fail" not in as_text(diagnosis=_read(STEPS + WALLTIME))


def test_no_cause_is_surer_than_that_something_broke_at_all() -> None:
    found = _read(MEMORY + STEPS + MEGATRON)
    assert found.verdict.status is VerdictStatus.NO_FAILURE
    others = [one for one in found.hypotheses if one.cause != found.verdict.cause]
    assert [one.cause for one in others] == ["cuda-oom"]
    assert all(one.probability <= 1 - found.verdict.probability + 0.001 for one in others)
    assert all(one.ruled_out_because for one in others)
