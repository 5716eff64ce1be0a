# ruff: noqa: E501  the vendors' lines are long
"""What everybody else prints once one part of a session has gone: in real order, with real delays."""

from collections.abc import Iterable, Sequence

from tests.score.sessions import c10d, launchers, nccl, slurm
from tests.score.sessions.c10d import Work
from tests.score.sessions.life import Life
from tests.score.sessions.scene import Scene


def others(scene: Scene, places: Iterable[int]) -> list[int]:
    """Return the places that are not among those."""
    gone = set(places)
    return [host.place for host in scene.world.hosts if host.place not in gone]


def ranks_of(scene: Scene, places: Iterable[int]) -> list[int]:
    """Return the ranks of hosts."""
    return [rank for place in places for rank in scene.world.ranks_of(place)]


def work(scene: Scene, life: Life) -> Work:
    """Return the collective in which a session hangs."""
    rng = scene.rng
    op = rng.choice(
        ("ALLREDUCE", "ALLREDUCE", "_ALLGATHER_BASE", "_REDUCE_SCATTER_BASE", "COALESCED")
    )
    numel = rng.choice((4194304, 25165824, 1, 73728))
    inside = rng.choice((0, 0, 1)) if scene.world.torch in {"2.4", "2.7"} else 0
    return Work(seq=life.seq, op=op, numel=numel, group=inside)


def hang(
    scene: Scene,
    life: Life,
    silent: Iterable[int],
    *,
    at: float | None = None,
    what: Work | None = None,
    stuck: int | None = None,
) -> float:
    """Let all ranks but the silent ones wait until the watchdog ends them; return when all is over.

    The launchers of their hosts report SIGABRT; the job then ends the rest. `stuck`: the silent
    ones are alive and answer the call for dumps, with so many collectives enqueued beyond the last.
    """
    begun = life.stopped_at + scene.rng.uniform(0.1, 2) if at is None else at
    quiet = set(silent)
    waiters = [
        rank for rank in range(scene.world.size) if rank not in quiet and rank not in scene.dead
    ]
    one = what or work(scene, life)
    over = c10d.watchdog(scene, waiters, begun, one)
    if stuck is not None and waiters:
        late = begun + scene.world.timeout + 0.5
        done = one.seq - 1
        alive = [rank for rank in quiet if scene.dead.get(rank, late) >= late]
        c10d.dump_signal(scene, alive, late, waiters[0], enqueued=done + stuck, completed=done)
    return aborted(scene, waiters, over + 1)


def aborted(scene: Scene, ranks: Sequence[int], at: float) -> float:
    """Let launchers report that those ranks ended by SIGABRT, then the job end everything."""
    rng, last = scene.rng, at
    for place in sorted({rank // 8 for rank in ranks}):
        mine = [rank for rank in ranks if rank // 8 == place]
        rng.shuffle(mine)
        moment = at + rng.uniform(0.5, 20)
        failed = mine[: rng.randrange(1, len(mine) + 1)]
        launchers.workers_failed(
            scene, place, moment, {failed[0]: -6}, others=dict.fromkeys(failed[1:], -6)
        )
        last = max(last, moment)
    if scene.world.launcher == "torchrun" and rng.random() < 0.5:
        rendezvous_lost(scene, last + 1)
    slurm.step_aborted(scene, last + 2)
    slurm.failed(scene, last + 35)
    scene.ends_at = last + 60
    return last


def rendezvous_lost(scene: Scene, at: float) -> None:
    """Let agents find that the rendezvous is closed."""
    for place in others(scene, [0]):
        host, moment = scene.world.hosts[place], at + scene.rng.uniform(0, 3)
        scene.agent(
            place,
            moment,
            launchers.elastic(
                scene,
                place,
                moment,
                "W",
                "torch/distributed/elastic/rendezvous/dynamic_rendezvous.py:1218",
                f"The node '{host.fqdn}_{host.agent_pid}_0' has failed to shutdown the rendezvous '{scene.world.job}' due to an error of type RendezvousConnectionError.",
            ),
        )


def peers_lost(
    scene: Scene, gone: Sequence[int], at: float, *, is_closed: bool = True, neighbours: int = 2
) -> float:
    """Let the neighbours of hosts that went away fail at once and the rest soon after.

    `is_closed`: the other side closed its sockets (a process died), so that NCCL notices at once.
    """
    rng, world = scene.rng, scene.world
    close = [(gone[0] + step) % len(world.hosts) for step in (1, -1, 2)][:neighbours]
    near = [place for place in dict.fromkeys(close) if place not in gone]
    if is_closed:
        for place in near:
            for rank in world.ranks_of(place):
                moment = at + rng.uniform(0.1, 1.5)
                nccl.closed_by(scene, rank, moment, gone[0])
                last = f"Net : Connection closed by remote peer {world.called(gone[0])}<{rng.randrange(32000, 60999)}>"
                if rng.random() < 0.5:
                    c10d.remote_error(scene, rank, moment + 0.3, last)
    if 0 in gone:
        c10d.store_lost(scene, ranks_of(scene, others(scene, gone)), at + 2)
    return at + 3


def job_killed(scene: Scene, culprits: Sequence[int], at: float) -> float:
    """Let the scheduler or the launchers end the other hosts by SIGTERM soon after one failed."""
    rest = others(scene, culprits)
    slurm.step_aborted(scene, at)
    nccl.abort_complete(scene, ranks_of(scene, rest[:4]), at + 0.5)
    if rest and scene.rng.random() < 0.4:  # the first host, with the store on it, ends before them
        some = [rank for rank in ranks_of(scene, rest) if rank >= 8][:24]
        c10d.store_lost(scene, some, at + 0.6)
    launchers.stopped(scene, rest, at + 1)
    if scene.world.launcher == "torchrun" and scene.rng.random() < 0.5:
        rendezvous_lost(scene, at + 3)
    slurm.failed(scene, at + 35)
    scene.ends_at = at + 60
    return at + 4


def crash(
    scene: Scene,
    life: Life,
    rank: int,
    at: float,
    lines: Sequence[str],
    *,
    code: int = 1,
    manner: str = "",
    others_failed: Sequence[int] = (),
) -> str:
    """Let a rank print its last words and die, its launcher report it, and the rest follow.

    `manner`: killed (the job ends all at once), closed (peers notice first and print before the
    cause is flushed), watchdog (nobody notices until the time limit). Returns the manner.
    """
    rng, place = scene.rng, rank // 8
    manner = manner or rng.choice(("killed", "closed", "watchdog"))
    late = rng.uniform(0.5, 4) if manner == "closed" else 0.0
    if lines:
        c10d.traceback(scene, rank, at, lines, late=late)
    scene.silence([rank], at + 0.5)
    report_at = at + rng.uniform(1, 4)
    launchers.workers_failed(
        scene, place, report_at, {rank: code}, others=dict.fromkeys(others_failed, code)
    )
    aftermath(scene, life, [place], report_at, manner)
    return manner


def aftermath(scene: Scene, life: Life, places: Sequence[int], at: float, manner: str) -> float:
    """Tell how the hosts that did not break come to their end."""
    rng = scene.rng
    scene.silence(ranks_of(scene, places), at + 1)
    if manner == "closed":
        peers_lost(scene, places, at - rng.uniform(0.3, 1.2))
        return job_killed(scene, places, at + rng.uniform(3, 9))
    if manner == "watchdog":
        return hang(scene, life, ranks_of(scene, places), at=max(life.stopped_at, at - 2))
    return job_killed(scene, places, at + rng.uniform(2, 6))


def victims(
    scene: Scene,
    culprits: Sequence[int],
    ranks: Sequence[int],
    at: float,
    last: str,
    *,
    number: int = 6,
) -> float:
    """Let ranks raise what NCCL told them, their launchers report it, and the job be ended."""
    places = sorted({rank // 8 for rank in ranks})
    for rank in ranks:
        c10d.remote_error(scene, rank, at + scene.rng.uniform(0, 0.8), last, number=number)
    for place in places:
        mine = [rank for rank in ranks if rank // 8 == place]
        moment = at + scene.rng.uniform(1, 4)
        launchers.workers_failed(
            scene, place, moment, {mine[0]: 1}, others=dict.fromkeys(mine[1:], 1)
        )
    scene.silence(ranks_of(scene, culprits), at + 8)
    return job_killed(scene, places, at + 7)


CUDA_ADVICE = (
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
)


def cuda_error(scene: Scene, what: str) -> list[str]:
    """Return the traceback of a CUDA error met in a training step."""
    kind = "torch.AcceleratorError" if scene.world.torch == "2.7" else "RuntimeError"
    return [
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 412, in <module>',
        "    main()",
        '  File "/workspace/engine/step.py", line 188, in train_step',
        "    loss.backward()",
        '  File "/usr/local/lib/python3.10/dist-packages/torch/_tensor.py", line 525, in backward',
        "    torch.autograd.backward(",
        f"{kind}: CUDA error: {what}",
        *CUDA_ADVICE,
    ]


def cuda_watchdog(scene: Scene, rank: int, at: float, what: str) -> None:
    """Let the watchdog of a rank end with a CUDA error."""
    c10d.end(scene, rank, at, f"CUDA error: {what}\n" + "\n".join(CUDA_ADVICE))
