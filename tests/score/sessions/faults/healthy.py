# ruff: noqa: E501  the vendors' lines are long
"""Sessions in which nothing broke: finished, or stopped by their time limit."""

from tests.score.sessions import c10d, cascade, frameworks, launchers, life, nccl, slurm
from tests.score.sessions.c10d import stamp
from tests.score.sessions.life import Life
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer


def finished(scene: Scene) -> Told:
    """Training ends well and the teardown is as noisy as usual."""
    _finish(scene, life.run(scene, to_end=True))
    return Told(status="no-failure", end="finished", telling="teardown noise")


def _finish(scene: Scene, one: Life) -> None:
    rng, at = scene.rng, life.save(scene, one.stopped_at + 1, one.step, one.path) + 2
    frameworks.finished(scene, at)
    every = range(scene.world.size)
    if scene.world.torch in {"2.4", "2.7"}:
        scene.rank(
            0,
            at + 1,
            f"{stamp(scene, 0, at + 1, 'W', 1496)} Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())",
        )
    nccl.abort_complete(scene, every, at + 1)
    for rank in rng.sample(every, min(9, len(every))):
        moment = at + 2 + rng.uniform(0, 2)
        if rank:
            scene.rank(
                rank,
                moment,
                f"{stamp(scene, rank, moment, 'W', 106, 'TCPStore.cpp')} [c10d] sendBytes failed on SocketImpl(fd=3, addr=[{scene.world.called(rank // 8)}]:{rng.randrange(32000, 60000)}, remote=[{scene.world.called(0)}]:{scene.world.master_port}): Broken pipe",
            )
    if scene.world.launcher == "torchrun":
        for place in range(len(scene.world.hosts)):
            moment = at + 3 + rng.uniform(0, 2)
            scene.agent(
                place,
                moment,
                launchers.elastic(
                    scene,
                    place,
                    moment,
                    "I",
                    f"{launchers.AGENT}:866",
                    "[default] worker group successfully finished. Waiting 300 seconds for other agents to finish.",
                ),
            )
    slurm.completed(scene, at + 8)
    scene.ends_at = at + 20


def time_limit(scene: Scene) -> Told:
    """The time limit of the job is reached."""
    one = life.run(scene, to_end=scene.world.scheduler != "slurm")
    at = one.stopped_at + scene.rng.uniform(0.2, 2)
    if scene.world.scheduler != "slurm":
        _finish(scene, one)
        return Told(status="no-failure", end="finished", telling="no limit here")
    slurm.say(scene, at, f"Time limit exhausted for JobId={scene.world.job}")
    slurm.cancelled(scene, at + 0.2, "DUE TO TIME LIMIT")
    scene.job(at + 0.3, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    launchers.stopped(scene, list(range(len(scene.world.hosts))), at + 0.5)
    nccl.abort_complete(scene, cascade.ranks_of(scene, range(len(scene.world.hosts))), at + 0.8)
    scene.ends_at = at + 60
    answers = (Answer(layer="host", causes=("process-killed",)),)
    return Told(status="no-failure", answers=answers, end="walltime", telling="limit")


def second_attempt(scene: Scene) -> Told:
    """A first attempt fails in the same files, the next one runs to its end."""
    at = life.set_up(scene, life.launch(scene, scene.world.started_at))
    one, rng = life.iterate(scene, at, first=1, count=40, saves=False), scene.rng
    rank = rng.randrange(scene.world.size)
    moment = one.stopped_at + 1
    frame = [
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 412, in <module>',
    ]
    error = rng.choice(
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.10 GiB of which 1.10 GiB is free.",
            "ConnectionResetError: [Errno 104] Connection reset by peer",
            "KeyError: 'input_ids'",
        )
    )
    c10d.traceback(scene, rank, moment, [*frame, error])
    again = launchers.restarted(scene, [rank // 8], moment + 3)
    scene.total = 60
    ready = life.set_up(scene, again)
    _finish(scene, life.iterate(scene, ready, first=1, count=60))
    return Told(status="no-failure", end="finished", telling="after a failed attempt")


FAULTS = {
    "healthy-finished": finished,
    "healthy-time-limit": time_limit,
    "healthy-second-attempt": second_attempt,
}
