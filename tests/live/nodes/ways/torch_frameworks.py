"""DeepSpeed, Lightning and Accelerate on processors, each broken in one way."""

import signal
from pathlib import Path

from tests.live.nodes.stage import Stage
from tests.live.nodes.storage import disk
from tests.live.nodes.ways.launchers import accelerate, deepspeed, lightning
from tests.live.nodes.ways.way import NODES, Way

STEP = "step 15/"
TWO = NODES[:2]


def _deepspeed_killed(stage: Stage) -> None:
    deepspeed(stage)
    stage.wait_for(STEP)
    stage.signal_rank(1, signal.SIGKILL)
    stage.wait(75)


def _deepspeed_raises(stage: Stage) -> None:
    deepspeed(stage, "--fault", "raises")
    stage.wait(75)


def _deepspeed_batch(stage: Stage) -> None:
    deepspeed(stage, "--batch", "40")
    stage.wait(75)


def _deepspeed_hangs(stage: Stage) -> None:
    deepspeed(stage, "--fault", "sleeps")
    stage.wait(75)


def _deepspeed_memory(stage: Stage) -> None:
    limits = {"memory.limit_in_bytes": str(2600 << 20)}
    enter = stage.cluster.limited("memory", "deepspeed-a", limits)
    deepspeed(stage, "--fault", "memory", "--steps", "300", limits=enter)
    stage.wait(110)
    stage.keep_kernel("node-a", r"oom|Memory cgroup|memory:|Killed process|\[ *\d+\] +\d+ ")


def _deepspeed_disk(stage: Stage) -> None:
    at = stage.scratch / "checkpoints"
    stage.stack.enter_context(disk(stage.folder, at=at, mib=8))
    (at / "former.bin").write_bytes(bytes(5_500_000))
    deepspeed(stage, "--save", str(at), "--steps", "100")
    stage.wait(90)


def _lightning_nan(stage: Stage) -> None:
    lightning(stage, "--fault", "nan")
    stage.wait(75)


def _lightning_ragged(stage: Stage) -> None:
    lightning(stage, "--fault", "ragged")
    stage.wait(75)


def _lightning_skips(stage: Stage) -> None:
    lightning(stage, "--fault", "skips")
    stage.wait(75)


def _lightning_slow_reader(stage: Stage) -> None:
    lightning(stage, "--fault", "slow-read")
    stage.wait(75)


def _lightning_told_to_end(stage: Stage) -> None:
    lightning(stage)
    stage.wait_for("batch 15")
    for each in stage.launchers:
        each.send_signal(signal.SIGTERM)
    stage.wait(60)


def _lightning_disk(stage: Stage) -> None:
    at = stage.scratch / "checkpoints"
    stage.stack.enter_context(disk(stage.folder, at=at, mib=8, options=("ro",)))
    lightning(stage, "--save", str(at))
    stage.wait(75)


def _lightning_module(stage: Stage) -> None:
    """One node's image lacks the module."""
    [module] = Path(stage.python).parent.parent.glob("lib/python3.*/site-packages/lightning")
    hide = f"mount -t tmpfs tmpfs {module};"
    lightning(stage, before={"node-b": hide})
    stage.wait(75)


def _accelerate_order(stage: Stage) -> None:
    accelerate(stage, "--fault", "order")
    stage.wait(75)


def _accelerate_exits(stage: Stage) -> None:
    accelerate(stage, "--fault", "exits")
    stage.wait(75)


def _accelerate_damaged(stage: Stage) -> None:
    path = stage.scratch / "model.safetensors"
    path.write_bytes(b"\x60\x00\x00\x00\x00\x00\x00\x00" + b'{"weight": {"dtype": "F32", "sha')
    accelerate(stage, "--resume", str(path))
    stage.wait(75)


def _accelerate_port(stage: Stage) -> None:
    stage.start("node-a", [stage.python, "-m", "http.server", "29700"], log="other/server.log")
    accelerate(stage)
    for each in stage.launchers[1:2]:
        each.wait(timeout=75)
    stage.end()
    for path in (stage.logs / "other").glob("*"):
        path.unlink()


def _accelerate_link(stage: Stage) -> None:
    accelerate(stage)
    stage.wait_for(STEP)
    stage.cluster.link("node-b", "down")
    stage.wait(75)


def _accelerate_processes_killed(stage: Stage) -> None:
    """The launcher of one node is killed as a scheduler kills a step that is over its time."""
    accelerate(stage)
    stage.wait_for(STEP)
    stage.signal_rank(1, signal.SIGTERM)
    stage.wait(75)


def _deepspeed_healthy(stage: Stage) -> None:
    deepspeed(stage, "--steps", "30", "--save", str(stage.scratch / "checkpoints"))
    stage.wait(120)


def _lightning_healthy(stage: Stage) -> None:
    lightning(stage, "--steps", "30", "--save", str(stage.scratch / "checkpoints"))
    stage.wait(120)


def _accelerate_healthy(stage: Stage) -> None:
    accelerate(stage, "--steps", "30", "--save", str(stage.scratch / "checkpoints"))
    stage.wait(120)


SPEED, LIGHT, FAST = ("deepspeed",), ("lightning",), ("accelerate", "safetensors")
MAKES = ("mkfs.ext4", "losetup")
WAYS = (
    Way(name="deepspeed-healthy", play=_deepspeed_healthy, needs=SPEED),
    Way(name="lightning-healthy", play=_lightning_healthy, needs=LIGHT),
    Way(name="accelerate-healthy", play=_accelerate_healthy, needs=FAST),
    Way(name="deepspeed-rank-killed", play=_deepspeed_killed, needs=SPEED),
    Way(name="deepspeed-wrong-type", play=_deepspeed_raises, needs=SPEED),
    Way(name="deepspeed-batch-size-refused", play=_deepspeed_batch, needs=SPEED),
    Way(name="deepspeed-rank-sleeps", play=_deepspeed_hangs, needs=SPEED),
    Way(name="deepspeed-memory-limit", play=_deepspeed_memory, needs=SPEED),
    Way(name="deepspeed-disk-full", play=_deepspeed_disk, needs=SPEED, programs=MAKES),
    Way(name="lightning-loss-is-nan", play=_lightning_nan, needs=LIGHT),
    Way(name="lightning-ragged-batch", play=_lightning_ragged, needs=LIGHT),
    Way(name="lightning-rank-skips-a-step", play=_lightning_skips, needs=LIGHT),
    Way(name="lightning-slow-reader", play=_lightning_slow_reader, needs=LIGHT),
    Way(name="lightning-told-to-end", play=_lightning_told_to_end, needs=LIGHT),
    Way(name="lightning-read-only", play=_lightning_disk, needs=LIGHT, programs=MAKES),
    Way(name="lightning-module-missing", play=_lightning_module, needs=LIGHT),
    Way(name="accelerate-calls-differ", play=_accelerate_order, needs=FAST),
    Way(name="accelerate-rank-leaves-early", play=_accelerate_exits, needs=FAST),
    Way(name="accelerate-checkpoint-damaged", play=_accelerate_damaged, needs=FAST),
    Way(name="accelerate-port-taken", play=_accelerate_port, needs=FAST),
    Way(name="accelerate-link-down", play=_accelerate_link, needs=FAST),
    Way(name="accelerate-rank-told-to-end", play=_accelerate_processes_killed, needs=FAST),
)
