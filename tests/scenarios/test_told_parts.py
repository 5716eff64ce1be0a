"""What a log names of a part is said: the file of a save, the rank of a launcher, whose log to ask for."""
# ruff: noqa: E501  lines of logs keep their length

from tests.scenarios.child_failed import child_failed
from tests.scenarios.verdicts import diagnosed

STEPS = "".join(
    f"2026-11-22 22:{minute:02d}:00 INFO step {minute} loss 2.1\n" for minute in range(30)
)
FULL = (
    "11/22/2026 22:30:10 - INFO - accelerate.accelerator - Saving current state to /scratch/local/run7/checkpoint-40\n"
    "Traceback (most recent call last):\n"
    '  File "/code/clm.py", line 88, in <module>\n'
    "    main()\n"
    "OSError: [Errno 28] No space left on device\n"
)
LOST = "Lustre: scratch-OST0009-osc-ffff9d3a: Connection to scratch-OST0009 (at 10.9.0.44@o2ib) was lost; in progress operations using this service will wait for recovery to complete\n"
CUDA = "RuntimeError: CUDA error: unspecified launch failure\n"
WAITED = (
    "[rank0]:[E1122 22:40:00.512 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=84312, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600071 milliseconds before timing out.\n"
)
TABLE = child_failed(
    at="2026-11-22_22:30:08",
    host="w2",
    rank=11,
    local_rank=3,
    pid=8811,
    said="To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
)


def test_a_full_disk_is_named_by_what_was_saved() -> None:
    found = diagnosed(texts={"train.out": STEPS + FULL})
    assert [one.name for one in found.verdict.culprits] == ["/scratch/local/run7/checkpoint-40"]


def test_a_storage_log_is_asked_of_no_client() -> None:
    texts = {
        "kernel/w1.log": f"2026-11-22T22:29:40+00:00 w1 kernel: {LOST}",
        "session/w1/rank0.log": STEPS.replace(" INFO", "+00:00 INFO") + WAITED,
    }
    (asked, *_) = [
        each
        for one in diagnosed(texts=texts).hypotheses
        for each in one.missing
        if each.source == "storage-log"
    ]
    assert asked.hosts == ()


def test_a_rank_whose_gpu_call_failed_stopped_first_and_its_host_is_asked_for() -> None:
    found = diagnosed(
        texts={
            "session/w1/rank0.log": STEPS + WAITED,
            "session/w2/rank11.log": STEPS + CUDA,
            "launcher.log": TABLE,
        }
    )
    assert found.first_stopper is not None
    assert (found.first_stopper.ranks, found.first_stopper.hosts) == ((11,), ("w2",))
    kernel = [each for each in found.hypotheses[-1].missing if each.source == "kernel-log"]
    assert [each.hosts for each in kernel] == [("w2",)]
