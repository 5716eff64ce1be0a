"""Everything about a session but its fault, drawn from the seed."""

from random import Random

from tests.score.sessions.cluster import World, draw_hosts

NCCL_OF = {
    "1.13": ("2.14.3",),
    "2.1": ("2.18.5",),
    "2.3": ("2.21.5",),
    "2.4": ("2.21.5",),
    "2.7": ("2.26.2", "2.27.5", "2.30.7"),
}
LAUNCHERS = {
    "megatron": ("torchrun", "torchrun", "srun"),
    "deepspeed": ("deepspeed", "torchrun"),
    "torchtitan": ("torchrun",),
    "lightning": ("srun", "torchrun"),
    "hf": ("torchrun", "deepspeed", "ray"),
    "nemo": ("srun", "torchrun"),
}
SCHEDULERS = {
    "torchrun": ("slurm", "slurm", "k8s", "backend.ai", "none"),
    "srun": ("slurm",),
    "deepspeed": ("none", "k8s", "backend.ai"),
    "ray": ("none", "k8s"),
}
COUNTS = (4, 4, 4, 6, 8, 8, 8, 12, 16, 16, 24, 32, 64)
DAY = 86400.0
EPOCH = 1767225600.0  # 2026-01-01T00:00:00Z


def draw_world(*, rng: Random, is_told_info: bool) -> World:
    """Return a cluster part with software on it; `is_told_info`: NCCL must print INFO."""
    started_at = EPOCH + rng.uniform(0.2, 315) * DAY
    naming, hosts = draw_hosts(rng=rng, count=rng.choice(COUNTS), started_at=started_at)
    torch = rng.choice(("1.13", "2.1", "2.3", "2.4", "2.4", "2.7", "2.7", "2.7"))
    framework = rng.choice(tuple(LAUNCHERS))
    launcher = rng.choice(LAUNCHERS[framework])
    session_zone = rng.choice(("UTC", "UTC", "UTC", "Asia/Seoul", "PST"))
    is_same_zone = rng.random() < 0.4
    kernel_zone = (
        session_zone
        if is_same_zone
        else rng.choice(("UTC", "Asia/Seoul", "PST", "Asia/Kolkata", "America/Phoenix"))
    )
    scheduler = rng.choice(SCHEDULERS[launcher])
    default = 1800 if torch in {"1.13", "2.1"} else 600
    return World(
        hosts=hosts,
        naming=naming,
        session_zone=session_zone,
        kernel_zone=kernel_zone,
        started_at=started_at,
        framework=framework,
        torch=torch,
        nccl=rng.choice(NCCL_OF[torch]),
        nccl_debug="INFO" if is_told_info or rng.random() < 0.5 else "WARN",
        launcher=launcher,
        scheduler=scheduler,
        fabric=rng.choice(("ib", "ib", "ib", "roce", "roce", "socket")),
        timeout=rng.choice((default, default, default, default, 1800, 3600)),
        step_seconds=rng.uniform(1.5, 14),
        job=rng.randrange(2000, 90000),
        is_in_pods=scheduler == "k8s" and rng.random() < 0.35,
        netdev=rng.choice(("eth0", "ens3f0", "bond0", "eno1")),
        master_port=rng.choice((29500, 29500, 6000, 12355)),
    )
