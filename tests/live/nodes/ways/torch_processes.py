"""PyTorch under torchrun whose processes crash, are ended, or differ in what they call."""

import os
import signal
from pathlib import Path

from tests.live.nodes.stage import Stage
from tests.live.nodes.storage import served_files
from tests.live.nodes.ways.way import Way, torchrun

STEP = "step 15/"
ELASTIC = ("--rdzv-backend", "c10d", "--rdzv-endpoint", "node-a:29400", "--max-restarts", "1")


def _segfault(stage: Stage) -> None:
    torchrun(stage, "ddp", "--fault", "segfault")
    stage.wait(75)
    stage.keep_kernel("node-b", r"python.*segfault|Code:")


def _aborts(stage: Stage) -> None:
    torchrun(stage, "ddp", "--fault", "aborts", "--on", "2")
    stage.wait(75)


def _address_space(stage: Stage) -> None:
    before = {"node-b": "ulimit -v 9000000;"}
    torchrun(stage, "ddp", "--fault", "memory", before=before)
    stage.wait(180)


def _reader_killed(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100", "--workers", "1")
    stage.wait_for(STEP)
    rank = stage.pid(2)
    for child in Path(f"/proc/{rank}/task/{rank}/children").read_text(encoding="ascii").split():
        os.kill(int(child), signal.SIGKILL)
    stage.wait(75)


def _told_to_end(stage: Stage) -> None:
    torchrun(stage, "ddp", "--steps", "100")
    stage.wait_for(STEP)
    for each in stage.launchers:
        each.send_signal(signal.SIGTERM)
    stage.wait(60)


def _barrier(stage: Stage) -> None:
    torchrun(stage, "ddp", "--fault", "barrier", "--on", "2")
    stage.wait(90)


def _option(stage: Stage) -> None:
    torchrun(stage, "ddp", "--warm-up", "10")
    stage.wait(60)


def _other_shape(stage: Stage) -> None:
    torchrun(stage, "ddp", "--fault", "resume")
    stage.wait(60)


def _restarted(stage: Stage) -> None:
    torchrun(stage, "ddp", "--fault", "once", "--steps", "30", options=ELASTIC)
    stage.wait(120)


def _server_killed_at_save(stage: Stage) -> None:
    at = stage.scratch / "checkpoints"
    (stage.folder / "served").mkdir()
    server = stage.stack.enter_context(
        served_files(stage.folder / "served", at=at, python=stage.python)
    )
    torchrun(stage, "ddp", "--save", str(at), "--save-every", "20", "--steps", "100")
    stage.wait_for(STEP)
    os.kill(server, signal.SIGKILL)
    stage.wait(75)


TORCH = ("torch",)
WAYS = (
    Way(name="torch-segfault", play=_segfault, needs=TORCH),
    Way(name="torch-aborts", play=_aborts, needs=TORCH),
    Way(name="torch-address-space-limit", play=_address_space, needs=TORCH),
    Way(name="torch-reader-killed", play=_reader_killed, needs=TORCH),
    Way(name="torch-told-to-end", play=_told_to_end, needs=TORCH),
    Way(name="torch-rank-misses-barrier", play=_barrier, needs=TORCH),
    Way(name="torch-option-unknown", play=_option, needs=TORCH),
    Way(name="torch-checkpoint-of-other-shape", play=_other_shape, needs=TORCH),
    Way(name="torch-restarted-and-done", play=_restarted, needs=TORCH),
    Way(name="torch-server-killed-at-save", play=_server_killed_at_save, needs=(*TORCH, "fuse")),
)
