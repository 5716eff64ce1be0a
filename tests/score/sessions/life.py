# ruff: noqa: E501  the vendors' lines are long
"""A healthy run up to some moment: launch, set-up, steps, checkpoints."""

from dataclasses import dataclass

from tests.score.sessions import frameworks, nccl, slurm
from tests.score.sessions.frameworks import Step
from tests.score.sessions.scene import Scene

WARNINGS = (
    "/usr/local/lib/python3.10/dist-packages/torch/distributed/launch.py:183: FutureWarning: The module torch.distributed.launch is deprecated\nand will be removed in future. Use torchrun.",
    "/usr/local/lib/python3.10/dist-packages/torch/utils/checkpoint.py:295: FutureWarning: `torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.",
    "Special tokens have been added in the vocabulary, make sure the associated word embeddings are fine-tuned or trained.",
    "[W socket.cpp:464] [c10d] The server socket cannot be initialized on [::]:29500 (errno: 97 - Address family not supported by protocol).",
)
OMP = (
    "*****************************************\n"
    "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your"
    " system being overloaded, please further tune the variable for optimal performance in your "
    "application as needed. \n*****************************************"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """How far a session came before something happened."""

    stopped_at: float  # when the last step ended that everybody finished
    step: int
    seq: int
    last_save_at: float
    path: str


def launch(scene: Scene, at: float) -> float:
    """Tell how the job starts, up to the first line of the training script."""
    slurm.started(scene, at)
    world, rng = scene.world, scene.rng
    if world.launcher == "torchrun":
        for host in world.hosts:
            scene.agent(host.place, at + rng.uniform(0, 2), OMP)
    for rank in range(world.size):
        if rng.random() < 0.06:
            scene.rank(rank, at + rng.uniform(3, 8), rng.choice(WARNINGS))
    if world.nccl_debug == "INFO" and rng.random() < 0.5:
        scene.job(at, "export NCCL_DEBUG=INFO")
    return at + 12


def set_up(scene: Scene, at: float) -> float:
    """Tell how communicators and the model are set up."""
    ready = nccl.init(scene, at, comms=scene.rng.choice((1, 1, 2)))
    frameworks.header(scene, ready + 5)
    return ready + scene.rng.uniform(20, 60)


def run(scene: Scene, *, saves: bool = True, to_end: bool = False) -> Life:
    """Tell a session from its launch to a moment in the middle of its steps."""
    world, rng = scene.world, scene.rng
    at = set_up(scene, launch(scene, world.started_at))
    if scene.prelude:
        at = scene.prelude(scene, at)
    count = rng.choice((40, 90, 160, 260))
    first = rng.choice((1, 1, 1200, 5010))
    if to_end:
        scene.total = first + count - 1
    return iterate(scene, at, first=first, count=count, saves=saves)


def iterate(scene: Scene, at: float, *, first: int, count: int, saves: bool = True) -> Life:
    """Tell a number of steps with a checkpoint now and then."""
    world, rng = scene.world, scene.rng
    path = rng.choice(("/mnt/nfs/ckpt/run7", "/lustre/fs1/ckpt/llm", "/mnt/ckpt/exp42"))
    saved_at, slow = at, rng.randrange(first, first + count) if rng.random() < 0.4 else -1
    for number in range(first, first + count):
        seconds = world.step_seconds * rng.uniform(0.97, 1.04)
        if number == slow:
            seconds *= rng.uniform(3, 7)
            scene.decoys.append("slow-step")
        at += seconds
        frameworks.progress(scene, Step(number=number, at=at, seconds=seconds))
        if saves and number % 50 == 0:
            at = save(scene, at, number, path)
            saved_at = at
    last = first + count - 1
    scene.stopped_at = at
    return Life(stopped_at=at, step=last, seq=last * 14 + 3, last_save_at=saved_at, path=path)


def save(scene: Scene, at: float, number: int, path: str) -> float:
    """Tell one checkpoint; return when it was over."""
    took = scene.rng.uniform(8, 40)
    frameworks.save_started(scene, at + 0.2, number, path)
    frameworks.save_done(scene, at + took, number, path, took)
    return at + took
