"""PyTorch over three nodes whose storage breaks."""

import os
import signal
from pathlib import Path
from threading import Event as Pause

from tests.live.nodes.stage import Stage
from tests.live.nodes.storage import disk, served_files
from tests.live.nodes.ways.way import Way, torchrun

STEP = "step 15/"
HUNG_LINES = r"task:|blocked for|Not tainted|hung_task_timeout|Call Trace|\+0x\w+/0x|TASK>|\bRIP"
HUNG = Path("/proc/sys/kernel/hung_task_timeout_secs")


def shards(folder: Path, count: int = 8, mib: int = 4) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"shard-{number:03}.bin").write_bytes(os.urandom(mib << 20))


def _disk_full(stage: Stage) -> None:
    at = stage.scratch / "checkpoints"
    mounted = stage.stack.enter_context(disk(stage.folder, at=at, mib=24))
    torchrun(stage, "ddp", "--save", str(at), "--save-mib", "9")
    stage.wait(75)
    stage.keep_kernel("node-a", Path(mounted.device).name)


def _reads_fail(stage: Stage) -> None:
    at = stage.scratch / "data"
    mounted = stage.stack.enter_context(disk(stage.folder, at=at, mib=64))
    shards(at)
    torchrun(stage, "ddp", "--data", str(at), "--steps", "100", "--workers", "1")
    stage.wait_for(STEP)
    mounted.lose_contents(keep_kib=9000)
    stage.wait(75)
    stage.keep_kernel("node-a", Path(mounted.device).name)


def _turns_read_only(stage: Stage) -> None:
    at = stage.scratch / "checkpoints"
    options = ("errors=remount-ro",)
    mounted = stage.stack.enter_context(disk(stage.folder, at=at, mib=64, options=options))
    torchrun(stage, "ddp", "--save", str(at), "--save-mib", "4", "--save-every", "20")
    stage.wait_for(STEP)
    mounted.lose_contents(keep_kib=64)
    stage.wait(75)
    stage.keep_kernel("node-a", Path(mounted.device).name)


def _mounted_read_only(stage: Stage) -> None:
    at = stage.scratch / "checkpoints"
    stage.stack.enter_context(disk(stage.folder, at=at, mib=64, options=("ro",)))
    torchrun(stage, "ddp", "--save", str(at))
    stage.wait(75)


def _frozen(stage: Stage) -> None:
    at = stage.scratch / "checkpoints"
    mounted = stage.stack.enter_context(disk(stage.folder, at=at, mib=64))
    former = HUNG.read_text(encoding="ascii")
    stage.stack.callback(HUNG.write_text, former, encoding="ascii")
    HUNG.write_text("5", encoding="ascii")
    torchrun(stage, "ddp", "--save", str(at), "--save-every", "20", "--timeout", "25")
    stage.wait_for(STEP)
    mounted.freeze()
    stage.wait_for("gloo", limit=75)
    Pause().wait(3)
    mounted.thaw()
    stage.wait(30)
    stage.keep_kernel("node-a", HUNG_LINES)


def _server_killed(stage: Stage) -> None:
    at = stage.scratch / "data"
    shards(stage.folder / "served")
    server = stage.stack.enter_context(
        served_files(stage.folder / "served", at=at, python=stage.python)
    )
    torchrun(stage, "ddp", "--data", str(at), "--steps", "100")
    stage.wait_for(STEP)
    os.kill(server, signal.SIGKILL)
    stage.wait(75)


def _server_stopped(stage: Stage) -> None:
    at = stage.scratch / "data"
    shards(stage.folder / "served")
    server = stage.stack.enter_context(
        served_files(stage.folder / "served", at=at, python=stage.python)
    )
    torchrun(stage, "ddp", "--data", str(at), "--steps", "100", "--workers", "1")
    stage.wait_for(STEP)
    os.kill(server, signal.SIGSTOP)
    Pause().wait(40)
    os.kill(server, signal.SIGCONT)
    stage.wait(75)


def _shards_gone(stage: Stage) -> None:
    at = stage.scratch / "data"
    shards(at)
    torchrun(stage, "ddp", "--data", str(at), "--steps", "100", "--workers", "1")
    stage.wait_for(STEP)
    (at / "shard-005.bin").unlink()
    stage.wait(75)


def _slow_saves(stage: Stage) -> None:
    """The server answers, and each save waits for it for longer than the others wait."""
    at = stage.scratch / "checkpoints"
    (stage.folder / "served").mkdir()
    server = stage.stack.enter_context(
        served_files(stage.folder / "served", at=at, python=stage.python)
    )
    torchrun(stage, "ddp", "--save", str(at), "--save-every", "20", "--save-mib", "32")
    stage.wait_for("saving checkpoint")
    os.kill(server, signal.SIGSTOP)
    Pause().wait(22)
    os.kill(server, signal.SIGCONT)
    stage.wait(75)


TORCH, FUSE, MAKES = ("torch",), ("torch", "fuse"), ("mkfs.ext4", "losetup")
WAYS = (
    Way(name="torch-checkpoint-disk-full", play=_disk_full, needs=TORCH, programs=MAKES),
    Way(name="torch-disk-reads-fail", play=_reads_fail, needs=TORCH, programs=MAKES),
    Way(name="torch-disk-turns-read-only", play=_turns_read_only, needs=TORCH, programs=MAKES),
    Way(name="torch-mounted-read-only", play=_mounted_read_only, needs=TORCH, programs=MAKES),
    Way(name="torch-disk-frozen", play=_frozen, needs=TORCH, programs=(*MAKES, "fsfreeze")),
    Way(name="torch-file-server-killed", play=_server_killed, needs=FUSE),
    Way(name="torch-file-server-stopped", play=_server_stopped, needs=FUSE),
    Way(name="torch-shard-deleted", play=_shards_gone, needs=TORCH),
    Way(name="torch-save-slower-than-timeout", play=_slow_saves, needs=FUSE),
)
