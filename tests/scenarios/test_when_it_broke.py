"""When it broke: no two times of one answer contradict each other."""

from datetime import UTC, datetime

from tests.scenarios.child_failed import child_failed
from tests.scenarios.verdicts import diagnosed

DAY = "2025-11-22"
WATCHDOG = (
    "[rank{rank}]:[E1122 10:49:55.812 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught "
    "collective operation timeout: WorkNCCL(SeqNum=8812, OpType=ALLREDUCE, NumelIn=4096, "
    "NumelOut=4096, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.\n"
)
LOST = (
    f"{DAY}T10:40:02+00:00 gpu-a02 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', "
    "name=<unknown>, GPU has fallen off the bus.\n"
)
RAISED = """\
Traceback (most recent call last):
  File "/app/train.py", line 88, in <module>
    main()
KeyError: 128256
"""
EXITED = child_failed(at=f"{DAY}_22:03:56", host="t02", rank=9, local_rank=1, pid=109)
TOLD = (
    "W1122 22:03:58.410000 4242 torch/distributed/elastic/agent/server/api.py:719] "
    "Received Signals.SIGTERM death signal, shutting down workers\n"
)


def test_it_broke_when_its_cause_is_told_not_when_the_collective_began_that_never_ended() -> None:
    found = diagnosed(
        texts={
            "session/gpu-a01/rank0.log": WATCHDOG.format(rank=0),
            "kernel/gpu-a02.log": LOST,
        }
    )
    lost_at = datetime(2025, 11, 22, 10, 40, 2, tzinfo=UTC)

    assert found.verdict.cause == "gpu-off-bus"
    assert found.failed_at == lost_at
    assert [one.at for one in found.timeline[:2]] == [lost_at, lost_at]
    assert found.timeline[0].signature == "nvrm-xid-79"


def test_it_broke_no_later_than_the_process_left_that_is_blamed() -> None:
    found = diagnosed(
        texts={
            "session/t02/rank9.log": RAISED,
            "launcher-t02.log": EXITED,
            "session/t01/rank0.log": TOLD,
        }
    )
    left_at = datetime(2025, 11, 22, 22, 3, 56, tzinfo=UTC)

    assert found.verdict.cause == "rank-exception"
    assert found.failed_at == left_at
    assert min(one.at for one in found.timeline if one.at) == left_at
