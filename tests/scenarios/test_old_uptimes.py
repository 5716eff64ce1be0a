"""A kernel's log that counts from a boot nobody knows: of which day a fault is, it does not say."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.model import Diagnosis, VerdictStatus
from apps.offline.report import as_text
from tests.scenarios.verdicts import diagnosed

STEPS = "".join(
    f"2026-11-21 11:{minute:02d}:00 INFO step {minute * 10} loss 2.9\n" for minute in range(40)
)
WAITED = (
    "[rank0]:[E1121 11:50:00.512 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=84312, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600071 milliseconds before timing out.\n"
)
RAISED = (
    "Traceback (most recent call last):\n"
    '  File "/code/data/filter.py", line 41, in tokens\n'
    "    return self.vocab[tok]\n"
    "KeyError: 128256\n"
    "srun: error: q07: task 0: Exited with exit code 1\n"
)
DAY = 86_400.0


def _found(end: str, *, after: float, fault: float = 9120.0) -> Diagnosis:
    """Diagnose a session beside a log whose last line came so long after an Xid."""
    kernel = (
        "[  102.331204] nvidia-uvm: Loaded the UVM driver, major device number 510.\n"
        f"[{fault:.6f}] NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
        f"[{fault + after:.6f}] perf: interrupt took too long (3912 > 3901), lowering kernel.perf_event_max_sample_rate to 51000\n"
    )
    return diagnosed(texts={"q07.dmesg": kernel, "train.log": STEPS + end})


@pytest.mark.parametrize("days", [1, 3, 12, 90])
def test_a_fault_that_may_be_days_old_is_never_likely(days: int) -> None:
    found = _found(WAITED, after=days * DAY)
    text = as_text(diagnosis=found)
    assert found.verdict.status is not VerdictStatus.LIKELY
    assert "gpu-off-bus" in {one.cause for one in found.hypotheses}
    assert ("the kernel's log prints no time" in text.lower(), "dmesg -T" in text) == (True, True)


@pytest.mark.parametrize("days", [1, 12])
def test_what_the_session_itself_tells_comes_before_a_fault_of_any_day(days: int) -> None:
    found = _found(RAISED, after=days * DAY)
    assert found.verdict.cause == "rank-exception"


@pytest.mark.parametrize("seconds", [0.5, 600.0, 4 * 3600.0])
def test_a_log_that_ends_soon_after_the_fault_is_believed(seconds: float) -> None:
    found = _found(WAITED, after=seconds)
    assert (found.verdict.cause, found.verdict.status) == ("gpu-off-bus", VerdictStatus.LIKELY)


def test_a_log_of_another_boot_counts_from_its_own_start() -> None:
    found = _found(WAITED, after=60.0, fault=30 * DAY)
    assert found.verdict.status is VerdictStatus.LIKELY
