"""PyTorch over three nodes of which one has too little, or has its process stopped."""

import signal

from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.way import Way, torchrun

STEP = "step 15/"
LIMIT_MIB = 1500


def _memory(stage: Stage) -> None:
    limits = {"memory.limit_in_bytes": str(LIMIT_MIB << 20)}
    enter = stage.cluster.limited("memory", "train-b", limits)
    torchrun(stage, "ddp", "--steps", "200", "--cache", "1", limits={"node-b": enter})
    stage.wait(90)
    stage.keep_kernel("node-b", r"oom|Memory cgroup|memory:|Killed process|\[ *\d+\] +\d+ ")


def _memory_unseen(stage: Stage) -> None:
    """As `_memory`, and nobody has the kernel's log."""
    limits = {"memory.limit_in_bytes": str(LIMIT_MIB << 20)}
    enter = stage.cluster.limited("memory", "train-c", limits)
    torchrun(stage, "ddp", "--steps", "200", "--cache", "2", limits={"node-c": enter})
    stage.wait(90)


def _few_processes(stage: Stage) -> None:
    enter = stage.cluster.limited("pids", "train-b", {"pids.max": "24"})
    torchrun(stage, "ddp", "--workers", "24", limits={"node-b": enter})
    stage.wait(75)
    stage.keep_kernel("node-b", "fork rejected")


def _small_shm(stage: Stage) -> None:
    small = "mount -t tmpfs -o size=64k tmpfs /dev/shm;"
    torchrun(stage, "ddp", "--workers", "2", before={"node-c": small})
    stage.wait(75)


def _few_files(stage: Stage) -> None:
    torchrun(stage, "ddp", "--workers", "12", before={"node-a": "ulimit -n 40;"})
    stage.wait(75)


def _stopped(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100")
    stage.wait_for(STEP)
    stage.signal_rank(2, signal.SIGSTOP)
    stage.wait(60)


def _killed(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100", each=2, hosts=("node-a", "node-b"))
    stage.wait_for(STEP)
    stage.signal_rank(3, signal.SIGKILL)
    stage.wait(60)


def _other_width(stage: Stage) -> None:
    torchrun(stage, "ddp", "--width-on", "2")
    stage.wait(60)


def _uneven(stage: Stage) -> None:
    torchrun(stage, "ddp", "--samples", "320", "--fewer-on", "1")
    stage.wait(75)


def _other_world(stage: Stage) -> None:
    """One node was told another number of nodes."""
    torchrun(stage, "ddp", hosts=("node-a", "node-b"))
    command = [
        *(stage.python, "-m", "torch.distributed.run", "--nnodes", "3", "--node-rank", "1"),
        *("--master-addr", "node-a", "--master-port", "29400", stage.program("ddp")),
    ]
    stage.start("node-c", command, log="session/node-c.log")
    stage.wait(75)


def _healthy(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "40", "--workers", "1", "--save", ".")
    stage.wait(120)


TORCH = ("torch",)
WAYS = (
    Way(name="torch-healthy", play=_healthy, needs=TORCH),
    Way(name="torch-memory-limit", play=_memory, needs=TORCH),
    Way(name="torch-memory-limit-no-kernel-log", play=_memory_unseen, needs=TORCH),
    Way(name="torch-process-limit", play=_few_processes, needs=TORCH),
    Way(name="torch-shared-memory-small", play=_small_shm, needs=TORCH),
    Way(name="torch-open-files-limit", play=_few_files, needs=TORCH),
    Way(name="torch-rank-stopped", play=_stopped, needs=TORCH),
    Way(name="torch-rank-killed", play=_killed, needs=TORCH),
    Way(name="torch-rank-of-other-width", play=_other_width, needs=TORCH),
    Way(name="torch-rank-runs-out-of-batches", play=_uneven, needs=TORCH),
    Way(name="torch-node-count-differs", play=_other_world, needs=TORCH),
)
