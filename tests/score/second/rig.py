"""What runs where: hosts with clocks of their own, ranks, the framework and who started it."""

from dataclasses import dataclass
from random import Random

# PCI addresses of the GPUs of a DGX H100 and of a DGX A100, as lspci lists them.
HOPPER = ("1b", "43", "52", "61", "9d", "c3", "d1", "df")
AMPERE = ("07", "0f", "47", "4e", "87", "90", "b7", "bd")
# Framework → who can have started it.
LAUNCHERS = {
    "megatron": ("torchrun-srun", "torchrun-pods"),
    "nemo": ("srun", "srun"),
    "deepspeed": ("pdsh", "srun"),
    "titan": ("torchrun-srun", "torchrun-pods"),
    "trainer": ("torchrun-srun", "torchrun-pods"),
    "ray": ("ray",),
    "jax": ("srun", "pods"),
    "horovod": ("mpirun",),
}
ON_TORCH = frozenset({"megatron", "nemo", "deepspeed", "titan", "trainer", "ray"})
IN_PODS = frozenset({"torchrun-pods", "pods", "ray"})
UNDER_SLURM = frozenset({"torchrun-srun", "srun"})
NAMES = (
    "gpu{:03d}",
    "dgx-{:02d}",
    "h{:02d}-rack7",
    "node{:04d}",
    "hgx-b{:d}",
    "cn-{:03d}",
    "worker-{:d}",
)
DOMAINS = ("", "", ".cluster.local", ".hpc.example.org")
ZONES = (0, 0, 0, 540, 480, 60, -480, -300)  # minutes east of Greenwich
EPOCH = 1_772_000_000  # late February 2026
SPREAD = 250 * 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class RigHost:
    """One machine. Times are seconds since 1970 by a true clock; its own is `ahead` of that."""

    place: int
    name: str
    domain: str
    address: str
    ahead: float
    booted: float
    pids: tuple[int, ...]  # of the rank of each GPU


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """A session's machines and programs."""

    hosts: tuple[RigHost, ...]
    per_host: int
    gpu_buses: tuple[str, ...]
    framework: str
    launcher: str
    torch: str
    nccl: str
    job: int
    user: str
    run: str
    began: float
    step_seconds: float
    first_step: int
    steps_between: int  # lines of progress
    timeout: int  # of collectives, in seconds
    host_zone: int
    program_zone: int  # of containers
    fabric: str  # "ib" | "roce"
    is_verbose: bool  # NCCL_DEBUG=INFO

    @property
    def size(self) -> int:
        """Return the number of ranks."""
        return self.per_host * len(self.hosts)

    @property
    def is_torch(self) -> bool:
        """Say whether ranks talk through torch.distributed."""
        return self.framework in ON_TORCH

    @property
    def is_in_pods(self) -> bool:
        """Say whether Kubernetes runs it."""
        return self.launcher in IN_PODS

    @property
    def is_under_slurm(self) -> bool:
        """Say whether Slurm's own srun runs it."""
        return self.launcher in UNDER_SLURM

    def host_of(self, rank: int) -> RigHost:
        """Return the host of a rank."""
        return self.hosts[rank // self.per_host]

    def pid_of(self, rank: int) -> int:
        """Return the process of a rank."""
        return self.host_of(rank).pids[rank % self.per_host]

    def ranks_on(self, place: int) -> range:
        """Return the ranks of a host."""
        return range(place * self.per_host, (place + 1) * self.per_host)

    def bus_of(self, rank: int) -> str:
        """Return the PCI address of a rank's GPU as the driver writes it."""
        return f"0000:{self.gpu_buses[rank % self.per_host]}:00"

    def hca_of(self, rank: int) -> str:
        """Return the adapter beside a rank's GPU."""
        return f"mlx5_{rank % self.per_host}"

    def pod_of(self, place: int) -> str:
        """Return the name of the pod on a host."""
        if self.launcher == "ray":
            return f"{self.run}-raycluster-gpu-group-worker-{self.hosts[place].pids[0] % 99991:05x}"
        return f"{self.run}-{'master-0' if place == 0 else f'worker-{place - 1}'}"

    def spellings(self, place: int) -> frozenset[str]:
        """Return every way a host may be named."""
        one = self.hosts[place]
        plain = {one.name, f"{one.name}{one.domain}", one.address}
        return frozenset(name.lower() for name in ({*plain, self.pod_of(place)}))


def draw_rig(*, rng: Random) -> Rig:
    """Return a session's machines and programs."""
    framework = rng.choice(sorted(LAUNCHERS))
    launcher = rng.choice(LAUNCHERS[framework])
    per_host = rng.choice((4, 8, 8))
    began = EPOCH + rng.random() * SPREAD
    zone = rng.choice(ZONES)
    in_utc = launcher in IN_PODS or rng.random() < 0.3
    return Rig(
        hosts=_hosts(rng, per_host, began),
        per_host=per_host,
        gpu_buses=rng.choice((HOPPER, HOPPER, AMPERE))[:per_host],
        framework=framework,
        launcher=launcher,
        torch=rng.choice(("2.5.1", "2.6.0", "2.7.1", "2.8.0")),
        nccl=rng.choice(("2.21.5", "2.25.1", "2.27.3", "2.28.9")),
        job=rng.randrange(10_000, 3_000_000),
        user=rng.choice(("mlee", "train", "akumar", "jpark", "svc-llm")),
        run=rng.choice(("llama-pretrain", "vit-l-run4", "moe-16b", "sft-exp12", "gpt-45b")),
        began=began,
        step_seconds=rng.uniform(1.5, 12.0),
        first_step=rng.randrange(0, 60_000, 10),
        steps_between=rng.choice((1, 1, 5, 10)),
        timeout=rng.choice((600, 600, 1800, 900)),
        host_zone=zone,
        program_zone=0 if in_utc else zone,
        fabric=rng.choice(("ib", "ib", "roce")),
        is_verbose=rng.random() < 0.35,
    )


def _hosts(rng: Random, per_host: int, began: float) -> tuple[RigHost, ...]:
    pattern, domain = rng.choice(NAMES), rng.choice(DOMAINS)
    first, net = rng.randrange(1, 60), rng.randrange(2, 200)
    steady = rng.random() < 0.6  # most sites keep time well
    found = []
    for place in range(rng.choice((2, 2, 3, 4, 4, 6))):
        ahead = rng.gauss(0, 0.004 if steady else 1.2)
        if rng.random() < 0.02:  # nobody keeps its time
            ahead += rng.choice((-1, 1)) * rng.uniform(20, 240)
        pid = rng.randrange(4_000, 3_900_000)
        found.append(
            RigHost(
                place=place,
                name=pattern.format(first + place),
                domain=domain,
                address=f"10.{net}.{rng.randrange(1, 5)}.{10 + first + place}",
                ahead=ahead,
                booted=began - rng.uniform(2, 60) * 86_400,
                pids=tuple(pid + 3 * local for local in range(per_host)),
            )
        )
    return tuple(found)
