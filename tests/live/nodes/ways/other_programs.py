"""Frameworks other than plain PyTorch: programs that are wrong, and one that is tried again."""

from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.launchers import accelerate, jax, lightning, ray, ray_end
from tests.live.nodes.ways.way import Way


def _accelerate_raises(stage: Stage) -> None:
    accelerate(stage, "--fault", "raises")
    stage.wait(75)


def _accelerate_absent(stage: Stage) -> None:
    accelerate(stage, program="finetune")
    stage.wait(60)


def _lightning_reader(stage: Stage) -> None:
    lightning(stage, "--fault", "reader", "--workers", "2")
    stage.wait(75)


def _jax_twice(stage: Stage) -> None:
    """The third node is told to be the second."""
    jax(stage, "--timeout", "20", indices=(0, 1, 1))
    stage.wait(90)


def _ray_retried(stage: Stage) -> None:
    ray(stage, "--fault", "once", "--tries", "2", "--steps", "30")
    ray_end(stage)


def _ray_module(stage: Stage) -> None:
    ray(stage, "--fault", "import")
    ray_end(stage)


FAST, RAY = ("accelerate", "safetensors"), ("ray", "torch")
WAYS = (
    Way(name="accelerate-raises", play=_accelerate_raises, needs=FAST),
    Way(name="accelerate-program-absent", play=_accelerate_absent, needs=FAST),
    Way(name="lightning-reader-raises", play=_lightning_reader, needs=("lightning",)),
    Way(name="jax-process-number-twice", play=_jax_twice, needs=("jax",)),
    Way(name="ray-retried-and-done", play=_ray_retried, needs=RAY),
    Way(name="ray-module-missing", play=_ray_module, needs=RAY),
)
