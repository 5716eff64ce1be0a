"""Logs of ranks that go on without another one, as torchft and DeepSpeed print them."""
# ruff: noqa: E501  lines of logs keep their length

STEP = "[2026-11-14 04:{minute:02d}:{second:02d},000] [INFO] [timer.py:264:stop] epoch=0/micro_step={step}/global_step={step}, RunningAvgSamplesPerSec=92.1, CurrSamplesPerSec=92.1, MemAllocated=61.31GB, MaxMemAllocated=70.1GB"
MET = "ERROR:torchft.manager:[ddp_{replica}:5f1e/0 - step {step}] got exception in all reduce -- skipping remaining: NCCL communicator was aborted on rank {rank}: remote process exited"
ANEW = "INFO:torchft.manager:[ddp_{replica}:5f1e/0 - step {step}] reconfiguring for quorum_id={quorum} store_prefixed_addr='gpu-n01:29500/torchft/2/0'"


def steps(first: int, last: int) -> list[str]:
    """Return steps of five seconds each; step 0 is at 04:00:00."""
    return [
        STEP.format(minute=n * 5 // 60, second=n * 5 % 60, step=n) for n in range(first, last + 1)
    ]


def survivor(replica: int, *, until: int = 150, quorum: int = 2) -> list[str]:
    """Return the log of a replica's first rank that another replica leaves after step 60."""
    told = {"replica": replica, "rank": replica * 2, "step": 60}
    anew = ANEW.format(quorum=quorum, **told)
    return [*steps(1, 60), MET.format(**told), anew, *steps(62, until)]


def survivor_log() -> str:
    """Return the log of a rank that goes on without another."""
    return "\n".join(survivor(0))
