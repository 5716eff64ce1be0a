"""Ray Train over two nodes, broken in one way each."""

import signal

from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.launchers import forget_ray, ray, ray_end
from tests.live.nodes.ways.way import Way

STEP = "step 15/"


def _ray_raises(stage: Stage) -> None:
    ray(stage, "--fault", "raises")
    ray_end(stage)


def _ray_exits(stage: Stage) -> None:
    ray(stage, "--fault", "exits")
    ray_end(stage)


def _ray_killed(stage: Stage) -> None:
    ray(stage)
    stage.wait_for(STEP)
    stage.signal_rank(1, signal.SIGKILL)
    ray_end(stage)


def _ray_node_off(stage: Stage) -> None:
    ray(stage)
    stage.wait_for(STEP)
    stage.cluster.power_off("node-b")
    ray_end(stage)


def _ray_too_many(stage: Stage) -> None:
    ray(stage, "--workers", "6")
    stage.wait(60)
    forget_ray(stage)


def _ray_healthy(stage: Stage) -> None:
    ray(stage, "--steps", "30")
    ray_end(stage)


RAY = ("ray", "torch")
WAYS = (
    Way(name="ray-healthy", play=_ray_healthy, needs=RAY),
    Way(name="ray-worker-raises", play=_ray_raises, needs=RAY),
    Way(name="ray-worker-exits", play=_ray_exits, needs=RAY),
    Way(name="ray-worker-killed", play=_ray_killed, needs=RAY),
    Way(name="ray-node-off", play=_ray_node_off, needs=RAY),
    Way(name="ray-more-workers-than-processors", play=_ray_too_many, needs=RAY),
)
