"""Logs that nobody said the kind of: of a session that ended, and a kernel's of some other day."""

from datetime import datetime, timedelta

from tests.scenarios.child_failed import child_failed

STEPS = "".join(
    f" [2026-11-22 13:{minute:02d}:{second:02d}] iteration {30 * minute + second // 2:5d}/ 20000 | "
    "consumed samples: 640 | elapsed time per iteration (ms): 2002.1 | global batch size: 64 | "
    "lm loss: 3.2E+00 |\n"
    for minute in range(3)
    for second in range(0, 60, 2)
)
DONE = "[after training is done] datetime: 2026-11-22 13:03:45\n"
TRAINER = "".join(
    f"{{'loss': 1.{one}, 'grad_norm': 0.7, 'learning_rate': 1.9e-05, 'epoch': 0.{one}}}\n"
    for one in range(10, 60)
)
TRAINED = "{'train_runtime': 1220.4, 'train_samples_per_second': 42.6, 'train_loss': 1.1}\n"
XID = (
    "{day}T12:11:00+09:00 gpu-n01 kernel: NVRM: Xid (PCI:0000:61:00): 79, pid='<unknown>', "
    "name=<unknown>, GPU has fallen off the bus.\n"
)
BEFORE, AFTER = XID.format(day="2026-11-20"), XID.format(day="2026-11-24")
BOOT = "2026-11-20T12:31:00+09:00 gpu-n01 kernel: Linux version 6.8.0-45-generic\n"
LATER = "2026-11-22T12:31:00+09:00 gpu-n01 kernel: perf: interrupt took too long (2512 > 2500)\n"
COMPLETED = (
    "[2026-11-22T12:59:00.102] sched: Allocate JobId=9201 NodeList=gpu-n01 #CPUs=192\n"
    "[2026-11-22T13:03:50.741] _job_complete: JobId=9201 WEXITSTATUS 0\n"
    "[2026-11-22T13:03:50.742] _job_complete: JobId=9201 done\n"
)
EXITED = child_failed(at="2026-11-22_13:02:12", host="gpu-n01", rank=5, local_rank=5, pid=6305)
ECC = (
    "[rank5]: Traceback (most recent call last):\n"
    '[rank5]:   File "/app/train.py", line 88, in <module>\n'
    "[rank5]:     trainer.fit(model)\n"
    "[rank5]: torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\n"
)
INIT = (
    "gpu-n01:{pid}:{pid} [2] NCCL INFO comm 0x5581a0020 rank 2 nranks 8 cudaDev 2 nvmlDev 2 "
    "busId 61000 commId 0x9d2c7b18 - Init COMPLETE\n"
)


def gone_on(*, stop: datetime, gap: timedelta) -> dict[str, str]:
    """Return the logs of a session of two hosts that an exception ended at `stop`, and of a kernel
    that lost a GPU `gap` before: paths of a folder, with times in UTC.
    """
    steps = [stop - timedelta(seconds=9 * left) for left in range(5, 0, -1)]
    files = {
        f"session/gpu-n0{rank // 2 + 1}/rank{rank}.log": "".join(
            (_init(rank), *(map(_step, steps) if rank == 3 else ()), _end(rank, stop))
        )
        for rank in range(4)
    }
    lost = f"{stop - gap:%Y-%m-%dT%H:%M:%S}+00:00 gpu-n02 kernel: NVRM: "
    files["kernel/gpu-n02.log"] = (
        f"{lost}Xid (PCI:0000:61:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the "
        f"bus.\n{lost}GPU 0000:61:00.0: GPU has fallen off the bus.\n"
    )
    return files


def _init(rank: int) -> str:
    gpu = rank % 2
    return (
        f"gpu-n0{rank // 2 + 1}:{5100 + rank}:{5500 + rank} [{gpu}] NCCL INFO comm 0x5581a0{rank}0 "
        f"rank {rank} nranks 4 cudaDev {gpu} nvmlDev {gpu} busId {gpu + 6}1000 "
        "commId 0x9d2c7b18 - Init COMPLETE\n"
    )


def _step(at: datetime) -> str:
    return (
        f" [{at:%Y-%m-%d %H:%M:%S}] iteration {at.second + 1:8d}/ 20000 | consumed samples: 640 | "
        "elapsed time per iteration (ms): 2002.1 | global batch size: 64 | lm loss: 3.2E+00 |\n"
    )


def _end(rank: int, stop: datetime) -> str:
    if rank == 1:
        return (
            "[rank1]: Traceback (most recent call last):\n"
            '[rank1]:   File "/app/data.py", line 41, in __getitem__\n'
            '[rank1]:     return self.index[i]["text"]\n'
            "[rank1]: KeyError: 'text'\n"
        )
    return (
        f"[rank{rank}]:[E{stop:%m%d %H:%M:%S}.112233445 ProcessGroupNCCL.cpp:1484] "
        f"[PG 0 (default_pg) Rank {rank}] Process group watchdog thread terminated with exception: "
        "NCCL error: remote process exited or there was a network error, NCCL version 2.20.5\n"
        "ncclRemoteError: A call failed possibly due to a network error or a remote process "
        "exiting prematurely.\n"
    )
