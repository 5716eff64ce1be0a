"""Sessions whose files don't say why: an honest reader leaves the question open."""

from dataclasses import replace

from tests.score.sessions import c10d, cascade, launchers, life, nccl
from tests.score.sessions.c10d import Work
from tests.score.sessions.faults import fabric, gpu, host
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer


def generic(scene: Scene) -> Told:
    """All ranks time out in the same collective; no kernel log is at hand."""
    one = life.run(scene)
    what = Work(seq=one.seq, op="ALLREDUCE", numel=25165824)
    cascade.hang(scene, one, (), what=what)
    return Told(
        status="unknown", hides_all_kernels=scene.rng.random() < 0.5, telling="same sequence"
    )


def culprit_unheard(scene: Scene) -> Told:
    """A fault that only a kernel log could tell, and that log is missing."""
    fault = scene.rng.choice((gpu.gsp, host.lockup, _silent_gpu, fabric_hang))
    told = fault(scene)
    return replace(
        told,
        status="unknown",
        hides=told.hosts,
        needs_kernel=(),
        end="failed",
        telling=f"without the log of {told.telling}",
    )


def _silent_gpu(scene: Scene) -> Told:
    """A GPU falls off the bus while its rank just stops."""
    one = life.run(scene)
    place = scene.pick_host()
    cascade.hang(
        scene, one, [place * 8 + scene.rng.randrange(8)], stuck=scene.rng.choice((None, 1))
    )
    return Told(answers=(gpu.OFF_BUS,), hosts=(place,), telling="off-bus")


def fabric_hang(scene: Scene) -> Told:
    """NVLink fails while the ranks of the host just stop."""
    one = life.run(scene)
    place = scene.pick_host()
    cascade.hang(scene, one, scene.world.ranks_of(place))
    return Told(answers=(fabric.NVLINK,), hosts=(place,), telling="nvlink")


def host_absent(scene: Scene) -> Told:
    """The logs of the culprit's host are missing altogether; peers only saw it close."""
    one, rng = life.run(scene), scene.rng
    place = rng.choice(cascade.others(scene, [0]))
    at = one.stopped_at + rng.uniform(0.5, 3)
    scene.silence(scene.world.ranks_of(place), at)
    near = [other * 8 + rng.randrange(8) for other in cascade.others(scene, [place])[:3]]
    for rank in near:
        nccl.closed_by(scene, rank, at + rng.uniform(0.1, 1), place)
    last = f"socketProgress: Connection closed by remote peer {scene.world.called(place)}<41234>"
    cascade.victims(scene, [place], near, at + 2, last)
    scene.drop(place)
    return Told(
        status="unknown",
        answers=(Answer(layer="host"),),
        hides=(place,),
        hides_scheduler=True,
        telling="host absent",
    )


def killed_unexplained(scene: Scene) -> Told:
    """A rank ends by SIGKILL; no kernel log of its host says who sent it."""
    one, rng = life.run(scene), scene.rng
    place = scene.pick_host()
    rank = place * 8 + rng.randrange(8)
    cascade.crash(scene, one, rank, one.stopped_at + 1, (), code=-9)
    return Told(
        status="unknown",
        answers=(Answer(layer="host", causes=("host-oom",)),),
        hides=(place,),
        telling="exit code -9",
    )


def vague_cuda(scene: Scene) -> Told:
    """A CUDA error that hardware and programs both cause; its kernel log is missing."""
    one, rng = life.run(scene), scene.rng
    place = scene.pick_host()
    rank = place * 8 + rng.randrange(8)
    at = one.stopped_at + 1
    what = "unspecified launch failure"
    cascade.cuda_watchdog(scene, rank, at, what)
    cascade.crash(scene, one, rank, at + 0.3, cascade.cuda_error(scene, what), code=-6)
    return Told(
        status="unknown",
        answers=(Answer(layer="gpu"), Answer(layer="software")),
        hides=(place,),
        hides_all_kernels=rng.random() < 0.5,
        telling="launch failure",
    )


def first_rank_late(scene: Scene) -> Told:
    """Everybody but the first rank waits in a barrier; nothing says what the first one did."""
    one = life.run(scene, saves=False)
    what = Work(seq=one.seq, op="ALLREDUCE", numel=1)
    cascade.hang(scene, one, [0], what=what, stuck=scene.rng.choice((None, 0)))
    return Told(status="unknown", hides=(0,), telling="barrier without a save")


def internal_error(scene: Scene) -> Told:
    """NCCL gives up with words that name nothing."""
    one, rng = life.run(scene), scene.rng
    at = one.stopped_at + 1
    ranks = rng.sample(range(scene.world.size), 5)
    number = rng.choice((2, 3, 6))
    for rank in ranks:
        c10d.remote_error(scene, rank, at + rng.uniform(0, 1), "", number=number)
    for place in sorted({rank // 8 for rank in ranks}):
        mine = [rank for rank in ranks if rank // 8 == place]
        launchers.workers_failed(
            scene, place, at + 3, {mine[0]: 1}, others=dict.fromkeys(mine[1:], 1)
        )
    cascade.job_killed(scene, sorted({rank // 8 for rank in ranks}), at + 7)
    return Told(
        status="unknown", hides_all_kernels=rng.random() < 0.5, telling=f"nccl result {number}"
    )


def cut_short(scene: Scene) -> Told:
    """The logs end in the middle of healthy steps and nobody says why."""
    one = life.run(scene)
    scene.ends_at = one.stopped_at + 1
    for host_ in scene.world.hosts:
        scene.cuts[host_.place] = one.stopped_at - 0.5
    return Told(
        status="unknown",
        end="unknown",
        hides_all_kernels=True,
        hides_scheduler=True,
        telling="ends in mid-step",
    )


FAULTS = {
    "unknown-generic": generic,
    "unknown-culprit-unheard": culprit_unheard,
    "unknown-host-absent": host_absent,
    "unknown-killed": killed_unexplained,
    "unknown-cuda": vague_cuda,
    "unknown-first-rank": first_rank_late,
    "unknown-nccl-result": internal_error,
    "unknown-cut-short": cut_short,
}
