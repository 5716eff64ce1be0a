# ruff: noqa: E501  the vendors' lines are long
"""Hosts that vanish, and sessions that somebody or the scheduler ends."""

from tests.score.sessions import c10d, cascade, kernel, launchers, life, nccl, slurm
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer

GONE = Answer(layer="host", causes=("node-unreachable",))
KILLED = Answer(layer="host", causes=("process-killed",))


def node_gone(scene: Scene) -> Told:
    """A host vanishes without a word: its logs end, its peers lose it, someone notices."""
    rng = scene.rng
    one = life.run(scene)
    place = rng.choice(cascade.others(scene, [0])) if rng.random() < 0.8 else 0
    at = one.stopped_at + rng.uniform(0.5, 4)
    has_scheduler = scene.world.scheduler != "none"
    telling = rng.choice(("scheduler", "rebooted") if has_scheduler else ("rebooted",))
    scene.cuts[place] = at
    scene.silence(scene.world.ranks_of(place), at)
    if telling == "rebooted":
        kernel.boot(scene, place, at + rng.uniform(180, 420))
        scene.quiet_kernels[place] = (at, at + 180)
    else:
        scene.quiet_kernels[place] = (at, float("inf"))
        _noticed(scene, place, at)
    is_killed = telling == "scheduler" and scene.world.scheduler == "slurm"
    if scene.world.fabric in {"ib", "roce"} and rng.random() < 0.6:
        near = [other * 8 + rng.randrange(8) for other in cascade.others(scene, [place])[:4]]
        begun = at + rng.uniform(28, 33)
        for rank in near:
            nccl.completion_error(scene, rank, begun + rng.uniform(0, 2), place)
        last = f"NET/IB: Got completion from peer {nccl.peer(scene, place)} with status=12 opcode=0 len=0 vendor err 129 (Send)"
        cascade.victims(scene, [place], near, begun + 3, last)
    elif is_killed:
        launchers.stopped(scene, cascade.others(scene, [place]), at + 302)
    else:
        if place == 0:
            c10d.store_lost(scene, cascade.ranks_of(scene, cascade.others(scene, [0])), at + 60)
        cascade.hang(scene, one, scene.world.ranks_of(place), at=one.stopped_at + 0.5)
    scene.ends_at = max(scene.ends_at, at + 700)
    needs = (place,) if telling == "rebooted" else ()
    return Told(
        answers=(GONE,),
        hosts=(place,),
        kind="node",
        needs_kernel=needs,
        needs_dates=telling == "rebooted",
        needs_scheduler=telling == "scheduler",
        telling=telling,
    )


def _noticed(scene: Scene, place: int, at: float) -> None:
    name, job = scene.world.hosts[place].name, scene.world.job
    slurm.say(scene, at + 300, f"error: Nodes {name} not responding, setting DOWN")
    slurm.say(scene, at + 300.2, f"Killing JobId={job} on failed node {name}")
    if scene.world.scheduler == "slurm":
        scene.job(at + 301, f"srun: error: Node failure on {name}")
        slurm.cancelled(scene, at + 301, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    slurm.event(
        scene,
        at + 45,
        "Normal",
        "NodeNotReady",
        f"node/{name}",
        f"Node {name} status is now: NodeNotReady",
    )
    slurm.event(
        scene,
        at + 346,
        "Normal",
        "TaintManagerEviction",
        f"pod/{slurm.pod(scene, place)}",
        f"Marking for deletion Pod train/{slurm.pod(scene, place)}",
    )
    slurm.backend_event(
        scene, at + 41, event="agent_terminated", source=f"i-{name}", reason="agent-lost"
    )


def ordered(scene: Scene) -> Told:
    """Somebody cancels the session, or a more urgent one takes its place."""
    rng = scene.rng
    telling = (
        rng.choice(("scancel", "preempted"))
        if scene.world.scheduler == "slurm"
        else "preempted"
        if scene.world.scheduler == "k8s"
        else "terminal"
    )
    one = life.run(scene)
    at = one.stopped_at + rng.uniform(0.2, 2)
    job = scene.world.job
    if telling == "scancel":
        slurm.say(scene, at, f"_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId={job} uid 1000")
        slurm.cancelled(scene, at + 0.1, "")
        scene.job(at, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    elif telling == "preempted" and scene.world.scheduler == "slurm":
        slurm.say(
            scene,
            at,
            f"preempted JobId={job} has been requeued to reclaim resources for JobId={job + 311}",
        )
        slurm.cancelled(scene, at + 0.1, "DUE TO PREEMPTION")
    elif telling == "preempted":
        for one_ in scene.world.hosts:
            slurm.event(
                scene,
                at,
                "Normal",
                "Preempted",
                f"pod/{slurm.pod(scene, one_.place)}",
                f"Preempted by pod 3f2a0c61-77aa-4d0e-9b6c-0e3f5b1c7d42 on node {one_.name}",
            )
    elif scene.world.launcher == "torchrun":
        for place in range(len(scene.world.hosts)):
            text = "Received 1 death signal, shutting down workers"
            scene.agent(
                place, at, launchers.elastic(scene, place, at, "W", f"{launchers.AGENT}:719", text)
            )
    _fall(scene, at + 0.5, "terminal" if telling == "terminal" else "")
    scene.ends_at = at + 60
    end = {"scancel": "cancelled", "preempted": "preempted", "terminal": "cancelled"}[telling]
    needs = telling == "preempted" and scene.world.scheduler == "k8s"
    return Told(
        answers=(KILLED,),
        kind="process",
        end=end,
        needs_scheduler=needs,
        telling=telling,
    )


def _fall(scene: Scene, at: float, how: str) -> None:
    """Let all workers end by SIGTERM, or by the SIGHUP of a closed terminal."""
    if how == "terminal":
        for place, host in enumerate(scene.world.hosts):
            scene.silence(scene.world.ranks_of(place), at)
            if scene.world.launcher != "torchrun":
                scene.agent(
                    place,
                    at,
                    'Traceback (most recent call last):\n  File "/workspace/launch.py", line 61, in <module>\n    process.wait()\nKeyboardInterrupt',
                )
                continue
            scene.agent(
                place,
                at,
                f"torch.distributed.elastic.multiprocessing.api.SignalException: Process {host.agent_pid} got signal: 1",
            )
        return
    launchers.stopped(scene, list(range(len(scene.world.hosts))), at)
    nccl.abort_complete(scene, cascade.ranks_of(scene, range(len(scene.world.hosts))), at + 0.4)
    if scene.world.framework in {"lightning", "nemo"}:
        for place in range(len(scene.world.hosts)):
            scene.rank(place * 8, at + 0.1, f"rank: {place * 8}: Received SIGTERM: 15")


FAULTS = {"node-gone": node_gone, "ordered-end": ordered}
