"""Logs that nobody said the kind of: of a session that ended, and a kernel's of some other day."""

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
EXITED = """\
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-22_13:02:12
  host      : gpu-n01
  rank      : 5 (local_rank: 5)
  exitcode  : 1 (pid: 6305)
  error_file: <N/A>
"""
ECC = (
    "[rank5]: Traceback (most recent call last):\n"
    '[rank5]:   File "/work/train.py", line 88, in <module>\n'
    "[rank5]:     trainer.fit(model)\n"
    "[rank5]: torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\n"
)
INIT = (
    "gpu-n01:{pid}:{pid} [2] NCCL INFO comm 0x5581a0020 rank 2 nranks 8 cudaDev 2 nvmlDev 2 "
    "busId 61000 commId 0x9d2c7b18 - Init COMPLETE\n"
)
