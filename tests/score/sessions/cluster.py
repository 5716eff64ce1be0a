"""Who ran where: hosts with names, addresses, devices, clocks and process ids."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

GPUS = 8
# Fixed offsets: a session that straddles a change of summer time is not what is asked here.
ZONES = {"UTC": 0, "Asia/Seoul": 540, "Asia/Kolkata": 330, "America/Phoenix": -420, "PST": -480}
BUSES = (
    ("0a", "18", "3b", "44", "87", "90", "b8", "c1"),
    ("07", "0f", "47", "4e", "87", "90", "b7", "bd"),
    ("1b", "43", "52", "61", "9d", "c3", "d1", "df"),
)
NIC_BUSES = ("0c", "2a", "41", "5e", "73", "9a", "cc", "d2")
NAMINGS = ("gpu001", "node-12", "ip-10-0-3-7", "fqdn", "rack", "cn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One machine; `offset` is what its clock shows too much, in seconds."""

    place: int
    name: str
    fqdn: str
    ip: str
    fabric_ip: str
    offset: float
    booted_at: float
    drift: float  # of computed dmesg times, seconds
    agent_pid: int
    pids: tuple[int, ...]
    host_pids: tuple[int, ...]
    buses: tuple[str, ...]
    uuids: tuple[str, ...]

    def gpu(self, local: int) -> str:
        """Return the PCI address of a GPU as NVRM prints it."""
        return f"0000:{self.buses[local]}:00"

    def nic(self, local: int) -> str:
        """Return the PCI address of a NIC as mlx5 prints it."""
        return f"0000:{NIC_BUSES[local]}:00.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The cluster part a session ran on, and the software it ran."""

    hosts: tuple[Host, ...]
    naming: str
    session_zone: str
    kernel_zone: str
    started_at: float
    framework: str
    torch: str
    nccl: str
    nccl_debug: str
    launcher: str  # torchrun srun deepspeed ray
    scheduler: str  # slurm k8s backend.ai none
    fabric: str  # ib roce socket efa
    timeout: int  # seconds, of collectives
    step_seconds: float
    job: int
    is_in_pods: bool  # processes see the pod's name as their host's
    netdev: str
    master_port: int

    @property
    def size(self) -> int:
        """Return the number of ranks."""
        return GPUS * len(self.hosts)

    def host_of(self, rank: int) -> Host:
        """Return the machine of a rank."""
        return self.hosts[rank // GPUS]

    def ranks_of(self, place: int) -> range:
        """Return the ranks of a machine."""
        return range(place * GPUS, place * GPUS + GPUS)

    def called(self, place: int) -> str:
        """Return the name that processes on a host print as theirs."""
        if self.is_in_pods:
            return f"llm-{self.job}-worker-{place}"
        host = self.hosts[place]
        return host.fqdn if self.naming == "fqdn" else host.name

    def spellings(self, place: int) -> frozenset[str]:
        """Return every way a machine is written, lower case."""
        host = self.hosts[place]
        names = {
            self.called(place),
            host.name,
            host.fqdn,
            host.name.split(".")[0],
            host.ip,
            host.fabric_ip,
        }
        return frozenset(name.lower() for name in names)


def wall(*, at: float, zone: str, offset: float = 0.0) -> datetime:
    """Return what a clock of that zone shows, naive."""
    shown = datetime.fromtimestamp(at + offset, UTC) + timedelta(minutes=ZONES[zone])
    return shown.replace(tzinfo=None)


def draw_hosts(*, rng: Random, count: int, started_at: float) -> tuple[str, tuple[Host, ...]]:
    """Return a naming style and that many machines."""
    naming = rng.choice(NAMINGS)
    first = rng.randrange(1, 90)
    gaps = sorted(rng.sample(range(first, first + count * 2), count))
    domain = rng.choice(
        ("cluster.local", "hpc.example.net", "dc2.train.internal", "lab.example.org")
    )
    net, base = rng.randrange(0, 200), rng.randrange(4, 60)
    buses = rng.choice(BUSES)
    hosts = []
    is_skewed = rng.random() < 0.6
    for place, number in enumerate(gaps):
        ip = f"10.{net}.{base}.{number}"
        short = _short(naming, number, net, base)
        skew = rng.choice((0.2, 3.0, 40.0, 120.0)) if is_skewed else 0.02
        pid, host_pid = rng.randrange(200, 60000), rng.randrange(100000, 4000000)
        hosts.append(
            Host(
                place=place,
                name=short,
                fqdn=f"{short}.{domain}",
                ip=ip,
                fabric_ip=f"172.{16 + net % 16}.{base}.{number}",
                offset=rng.uniform(-skew, skew),
                booted_at=started_at - rng.uniform(0.5, 60) * 86400,
                drift=rng.choice((0.0, rng.uniform(-90, 90))),
                agent_pid=pid - 70,
                pids=tuple(pid + i for i in range(GPUS)),
                host_pids=tuple(host_pid + 3 * i for i in range(GPUS)),
                buses=buses,
                uuids=tuple(_uuid(rng) for _ in range(GPUS)),
            )
        )
    return naming, tuple(hosts)


def _short(naming: str, number: int, net: int, base: int) -> str:
    names = {
        "gpu001": f"gpu{number:03d}",
        "node-12": f"node-{number}",
        "ip-10-0-3-7": f"ip-10-{net}-{base}-{number}",
        "fqdn": f"hgx{number:02d}",
        "rack": f"r{number // 16 + 1}i{number % 16}n{number % 4}x{number}",
        "cn": f"cn-{base:02d}{number:03d}",
    }
    return names[naming]


def _uuid(rng: Random) -> str:
    raw = f"{rng.getrandbits(128):032x}"
    return f"GPU-{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"
