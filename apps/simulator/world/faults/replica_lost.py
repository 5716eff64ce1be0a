"""A GPU falls off the bus, its replica is gone, and the others go on without it."""

from apps.simulator.world.cascade import kernel_lines, session_line
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.log_templates import c10d, kernel, torchft, trainers
from apps.simulator.world.machines.cluster import gpu_pci
from apps.simulator.world.story import (
    Culprit,
    Effect,
    FaultOutcome,
    FaultScene,
    LostReplica,
    PrintedLine,
    Truth,
)

REPLICA_GPUS = 2
_STILL_THERE = float("inf")


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt, rank = scene.attempt, scene.victim_rank()
    host, gpu = attempt.host(rank), attempt.gpu(rank)
    replica = rank // REPLICA_GPUS
    lost = LostReplica(
        replica=replica,
        ranks=tuple(range(replica * REPLICA_GPUS, (replica + 1) * REPLICA_GPUS)),
        at=scene.at,
        repaired_at=scene.at + scene.dice.between("repair", 4.0, 9.0),
    )
    texts = kernel.identity(node=scene.node(host), gpu=gpu) + kernel.fallen_off(gpu=gpu)
    lines = kernel_lines(host=host, at=scene.at, texts=texts)
    lines += _session(scene, rank, lost)
    more, effects = add(scene=scene, names=("old-xid", "mlx5-noise", "corrected-bits"))
    replicas = attempt.world_size // REPLICA_GPUS
    return FaultOutcome(
        truth=Truth(
            scenario="replica-lost",
            kind="xid79",
            attempts=(attempt,),
            layer="gpu",
            cause="gpu-off-bus",
            culprits=(Culprit(kind="gpu", host=host, gpu=gpu, rank=rank, pci=gpu_pci(gpu)),),
            has_incident=True,
            status="likely",
            parties=scene.parties("verdant"),
            failed_at=scene.at,
            newest_evidence_at=lost.repaired_at,
            survived=lost,
        ),
        lines=tuple(lines + more),
        effects=(*effects, *_effects(scene, host, gpu)),
        halts={attempt.key: _STILL_THERE},
        # Who is left shares the microbatches of who is gone.
        slow_from={attempt.key: (scene.at, replicas / (replicas - 1))},
    )


def _session(scene: FaultScene, rank: int, lost: LostReplica) -> list[PrintedLine]:
    attempt = scene.attempt
    said_at = scene.at + scene.dice.between("cuda", 0.6, 1.4)
    text = c10d.traceback(
        rank=rank,
        frames=('File "/opt/train/rollout.py", line 188, in learner_step', "loss.backward()"),
        final="torch.AcceleratorError: CUDA error: unspecified launch failure",
    )
    lines = [session_line(attempt=attempt, rank=rank, at=said_at, text=text)]
    step = trainers.first_step(attempt) + int(
        (scene.at - attempt.iterates_at) / attempt.step_seconds
    )
    for replica in range(attempt.world_size // REPLICA_GPUS):
        if replica == lost.replica:
            continue
        speaker = replica * REPLICA_GPUS
        why = f"NCCL communicator was aborted on rank {speaker}: remote process exited"
        met = said_at + scene.dice.between(f"met/{replica}", 0.2, 0.9)
        joined = lost.repaired_at - scene.dice.between(f"joined/{replica}", 0.05, 0.6)
        told = (
            (met, torchft.skips(attempt=attempt, replica=replica, step=step, why=why)),
            (joined, torchft.reconfigures(attempt=attempt, replica=replica, step=step, quorum=2)),
        )
        lines += [session_line(attempt=attempt, rank=speaker, at=at, text=t) for at, t in told]
    return lines


def _effects(scene: FaultScene, host: str, gpu: int) -> list[Effect]:
    selected = {"gpu": str(gpu)}
    table = (
        ("DCGM_FI_DEV_XID_ERRORS", "set", 0.0, 79.0),
        ("DCGM_FI_DEV_GPU_RECOVERY_ACTION", "set", 0.0, 2.0),
        ("DCGM_FI_*", "gone", 45.0, 0.0),
    )
    return [
        Effect(
            metric=metric,
            host=host,
            how=how,
            starts_at=scene.at + after,
            amount=amount,
            match=selected,
        )
        for metric, how, after, amount in table
    ]


REPLICA_LOST = SimulatedFault(name="replica-lost", strike=_strike)
