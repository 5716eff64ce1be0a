"""Ray Train over two nodes, broken in one way each."""

import signal
import subprocess
from contextlib import suppress

from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.way import Way

STEP = "step 15/"
RAY_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_failure_threshold": "4",
    "RAY_DEDUP_LOGS": "0",
    "RAY_TRAIN_V2_ENABLED": "1",
}
RAY_NODES = ("node-a", "node-b")


def _ray(stage: Stage, *arguments: str) -> None:
    at = stage.cluster.address("node-a")
    common = ("--num-cpus", "1", "--disable-usage-stats", "--object-store-memory", "100000000")
    ray = (stage.python, "-m", "ray.scripts.scripts", "start", "--block")
    for host in RAY_NODES:
        head = ("--head", "--port", "6379", "--include-dashboard", "false")
        where = head if host == "node-a" else ("--address", f"{at}:6379")
        mine = (
            "--node-ip-address",
            stage.cluster.address(host),
            "--temp-dir",
            f"{stage.folder}/{host}",
        )
        command = [*ray, *where, *mine, *common]
        stage.start(host, command, log=f"ray/{host}.log", environment=RAY_QUIET)
        stage.wait_for("Ray runtime started", times=RAY_NODES.index(host) + 1)
    command = [stage.python, stage.program("ray_train"), "--folder", str(stage.scratch)]
    stage.start("node-a", [*command, *arguments], log="train.log", environment=RAY_QUIET)


def _ray_end(stage: Stage, limit: float = 240) -> None:
    with suppress(subprocess.TimeoutExpired):
        stage.launchers[-1].wait(timeout=limit)
    stage.end()
    _forget_ray(stage)


def _forget_ray(stage: Stage) -> None:
    """Leave only what the driver printed: Ray's own words name no job."""
    for path in (stage.logs / "ray").glob("*"):
        path.unlink()


def _ray_raises(stage: Stage) -> None:
    _ray(stage, "--fault", "raises")
    _ray_end(stage)


def _ray_exits(stage: Stage) -> None:
    _ray(stage, "--fault", "exits")
    _ray_end(stage)


def _ray_killed(stage: Stage) -> None:
    _ray(stage)
    stage.wait_for(STEP)
    stage.signal_rank(1, signal.SIGKILL)
    _ray_end(stage)


def _ray_node_off(stage: Stage) -> None:
    _ray(stage)
    stage.wait_for(STEP)
    stage.cluster.power_off("node-b")
    _ray_end(stage)


def _ray_too_many(stage: Stage) -> None:
    _ray(stage, "--workers", "6")
    stage.wait(60)
    _forget_ray(stage)


def _ray_healthy(stage: Stage) -> None:
    _ray(stage, "--steps", "30")
    _ray_end(stage)


RAY = ("ray", "torch")
WAYS = (
    Way(name="ray-healthy", play=_ray_healthy, needs=RAY),
    Way(name="ray-worker-raises", play=_ray_raises, needs=RAY),
    Way(name="ray-worker-exits", play=_ray_exits, needs=RAY),
    Way(name="ray-worker-killed", play=_ray_killed, needs=RAY),
    Way(name="ray-node-off", play=_ray_node_off, needs=RAY),
    Way(name="ray-more-workers-than-processors", play=_ray_too_many, needs=RAY),
)
