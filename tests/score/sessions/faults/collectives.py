# ruff: noqa: E501  the vendors' lines are long
"""Ranks that part ways, work that takes too long, and members that are slow."""

from dataclasses import replace

from tests.score.sessions import c10d, cascade, frameworks, launchers, life, nccl, slurm
from tests.score.sessions.c10d import Work
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer

SLOW = Answer(layer="straggler", causes=("slow-member",))
THROTTLED = Answer(layer="gpu", causes=("gpu-throttling",))


def mismatch(scene: Scene) -> Told:
    """Ranks call different collectives at the same place."""
    one, rng = life.run(scene), scene.rng
    begun = one.stopped_at + rng.uniform(0.3, 2)
    every = list(range(scene.world.size))
    # That old a watchdog prints no sizes.
    kinds = ("op", "detected") if scene.world.torch == "1.13" else ("op", "size", "detected")
    telling = rng.choice(kinds)
    if telling == "detected":
        ranks = rng.sample(every, 4)
        text = f"RuntimeError: Detected mismatch between collectives on ranks. Rank {ranks[0]} is running collective: CollectiveFingerPrint(SequenceNumber={one.seq}, OpType=ALLREDUCE, TensorShape=[4096, 1024], TensorDtypes=Float, TensorDeviceTypes=TensorOptions(dtype=float (default), device=cuda, layout=Strided (default), requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))), but Rank {ranks[1]} is running collective: CollectiveFingerPrint(SequenceNumber={one.seq}, OpType=BROADCAST).Collectives differ in the following aspects: \t Op type: ALLREDUCEvs BROADCAST"
        cascade.crash(
            scene,
            one,
            ranks[0],
            begun,
            [
                "Traceback (most recent call last):",
                '  File "/workspace/train.py", line 412, in <module>',
                text,
            ],
            manner="killed",
        )
    else:
        odd = rng.choice((every[::8], every[: len(every) // 2], [rng.choice(every)]))
        first = Work(seq=one.seq, op="ALLREDUCE", numel=4194304)
        other = (
            replace(first, op="BROADCAST", numel=1)
            if telling == "op"
            else replace(first, numel=4194303)
        )
        c10d.watchdog(scene, [rank for rank in every if rank not in set(odd)], begun, first)
        over = c10d.watchdog(scene, odd, begun, other)
        cascade.aborted(scene, every, over + 1)
    answers = (Answer(layer="software", causes=("collective-mismatch",)),)
    return Told(answers=answers, kind="program", telling=telling)


def uneven(scene: Scene) -> Told:
    """Some ranks run out of batches at the end of the epoch and wait elsewhere."""
    one, rng = life.run(scene, saves=False), scene.rng
    begun = one.stopped_at + rng.uniform(0.3, 2)
    every = list(range(scene.world.size))
    early = sorted(rng.sample(every, max(1, len(every) // rng.choice((4, 8, 16)))))
    late = [rank for rank in every if rank not in set(early)]
    for rank in early:
        local = scene.local(rank // 8, begun)
        scene.rank(
            rank,
            begun - 0.2,
            f"[{local:%Y-%m-%d %H:%M:%S}] rank {rank}: epoch 0 done, {one.step * 14} batches",
            is_error=False,
        )
    for rank in late:
        local = scene.local(rank // 8, begun)
        scene.rank(
            rank,
            begun - 0.1,
            f"[{local:%Y-%m-%d %H:%M:%S}] rank {rank}: epoch 0, {one.step * 14 + 1} of {one.step * 14 + 3} batches",
            is_error=False,
        )
    telling = rng.choice(("barrier", "behind"))
    over = c10d.watchdog(
        scene,
        late,
        begun,
        Work(seq=one.seq + 1, op="ALLREDUCE", numel=25165824),
        enqueued=one.seq + 4,
    )
    if telling == "barrier":
        c10d.watchdog(scene, early, begun, Work(seq=one.seq + 1, op="ALLREDUCE", numel=1))
    elif scene.world.torch in {"1.13", "2.1", "2.3"}:
        ranks = ", ".join(str(rank) for rank in early[:12])
        scene.rank(
            late[0],
            over - 0.5,
            f"\t - To our best knowledge, ranks [{ranks}] are the lagging ranks that caused this timeout. They never joined any collectives",
        )
    cascade.aborted(scene, every, over + 1)
    answers = (Answer(layer="software", causes=("uneven-data", "collective-mismatch")),)
    return Told(answers=answers, kind="program", telling=telling)


def short_limit(scene: Scene) -> Told:
    """The first rank prepares data while all others wait in their first collective."""
    rng = scene.rng
    at = life.launch(scene, scene.world.started_at)
    nccl.init(scene, at)
    frameworks.header(scene, at + 12)
    telling = rng.choice(("tokenizing", "index-map"))
    begun, total = at + 15, 8412331
    limit = scene.world.timeout
    if telling == "tokenizing":
        step = limit / 60
        for count in range(62):
            done = int(total * count / 100)
            scene.rank(
                0,
                begun + count * step,
                f"\rRunning tokenizer on dataset:  {count}%|{'█' * (count // 10):<10}| {done}/{total} [{int(count * step) // 60:02d}:{int(count * step) % 60:02d}<{int((100 - count) * step) // 60:02d}:11, {int(done / (count * step + 1))} examples/s]",
            )
    else:
        scene.rank(
            0,
            begun,
            "> building indices for blendable datasets ...\n > WARNING: could not find index map files, building the indices on rank 0 ...\n > only one epoch required, setting separate_last_epoch to False",
            is_error=False,
        )
    what = Work(seq=rng.choice((1, 1, 2, 3)), op=rng.choice(("ALLREDUCE", "BROADCAST")), numel=1)
    over = c10d.watchdog(scene, range(1, scene.world.size), begun, what)
    c10d.dump_signal(scene, [0], over, 1, enqueued=what.seq - 1, completed=what.seq - 1)
    cascade.aborted(scene, list(range(1, scene.world.size)), over + 1)
    answers = (Answer(layer="software", causes=("timeout-too-small",)),)
    return Told(answers=answers, kind="program", telling=telling)


def slow_member(scene: Scene) -> Told:
    """One member becomes slow: steps take half as long again, until somebody ends it."""
    rng = scene.rng
    one = life.run(scene)
    place = scene.pick_host()
    rank = place * 8 + rng.randrange(8)
    host = scene.world.hosts[place]
    telling = rng.choice(("resiliency", "megatron", "clocks", "steps-only"))
    at, ratio = one.stopped_at, rng.uniform(1.6, 3.2)
    for number in range(one.step + 1, one.step + 60):
        seconds = scene.world.step_seconds * ratio * rng.uniform(0.97, 1.04)
        at += seconds
        frameworks.progress(scene, frameworks.Step(number=number, at=at, seconds=seconds))
        if number % 15 == 0:
            _report(scene, telling, rank, at, ratio)
    is_stopped = telling != "steps-only" and rng.random() < 0.35
    if is_stopped:
        cascade.hang(scene, replace(one, stopped_at=at), [rank])
    else:
        _ended_by_hand(scene, at)
    throttle = (THROTTLED, SLOW) if telling in {"megatron", "clocks"} else (SLOW,)
    hosts = () if telling == "steps-only" else (host.place,)
    return Told(
        answers=throttle,
        hosts=hosts,
        kind="gpu",
        end="failed" if is_stopped else "cancelled",
        telling=telling,
    )


def _ended_by_hand(scene: Scene, at: float) -> None:
    if scene.world.scheduler == "slurm":
        slurm.say(
            scene, at, f"_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId={scene.world.job} uid 1000"
        )
        slurm.cancelled(scene, at + 0.1, "")
    launchers.stopped(scene, list(range(len(scene.world.hosts))), at + 0.5)
    scene.ends_at = at + 60


def _report(scene: Scene, telling: str, rank: int, at: float, ratio: float) -> None:
    host, local = scene.host(rank), scene.local(rank // 8, at)
    fine = (rank + 11) % scene.world.size
    if telling == "resiliency":
        scene.rank(
            0,
            at,
            f"STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: {{StragglerId(rank={rank}, node='{host.name}')}}\n  Rank={rank} Node={host.name} Score={1 / ratio:.2f}",
        )
    elif telling == "megatron":
        time = scene.world.step_seconds * 1000
        scene.rank(
            0,
            at,
            f" [{local:%Y-%m-%d %H:%M:%S}] | MnRtt/Rnk: {time:.2f}ms/{fine} | MxRtt/Rnk: {time * ratio:.2f}ms/{rank} | MnPwr/Rnk: 201796W/{rank} | MxPwr/Rnk: 683801W/{fine} | MnTmp/Rnk: 52C/{fine} | MxTmp/Rnk: 91C/{rank} | MnUtl/Rnk: 97%/{fine} | MxUtl/Rnk: 100%/{rank} | MnClk/Rnk: 645MHz/{rank} | MxClk/Rnk: 1980MHz/{fine} |",
            is_error=False,
        )
    elif telling == "clocks":
        scene.agent(
            rank // 8,
            at,
            f"timestamp, index, pci.bus_id, temperature.gpu, clocks.current.sm [MHz], clocks_event_reasons.hw_thermal_slowdown, clocks_event_reasons.hw_power_brake_slowdown\n{local:%Y/%m/%d %H:%M:%S}.{local.microsecond // 1000:03d}, {rank % 8}, 0000{host.gpu(rank % 8).upper()}.0, 92, 345 MHz, Active, Not Active",
        )


FAULTS = {
    "collective-mismatch": mismatch,
    "uneven-data": uneven,
    "short-limit": short_limit,
    "slow-member": slow_member,
}
