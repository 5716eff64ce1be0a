"""The values a session is told in: lines, effects on metrics, and the truth behind them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from apps.simulator.world.machines.cluster import (
    GPUS_PER_NODE,
    ZONE,
    SimulatedCluster,
    SimulatedNode,
)
from apps.simulator.world.noise import Dice, digest


class Weight(StrEnum):
    """What a line is to the story; most lines are innocent."""

    INNOCENT = "innocent"
    HERRING = "herring"
    FAULT = "fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How one session's software speaks."""

    trainer: str  # megatron deepspeed titan
    nccl: tuple[int, int, int]
    torch: tuple[int, int]
    scheduler: str  # backend.ai slurm
    layout: str  # rank: a stream per rank; srun, tee: a stream per host, prefixed
    zone: str  # of the containers' clock


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedAttempt:
    """One run of a job on some nodes. Times are true Unix seconds."""

    key: str
    organization: str
    project: str
    job: str
    session: str
    number: int
    hosts: tuple[str, ...]
    starts_at: float
    ends_at: float | None  # None: still running
    state: str  # what the scheduler says at the end
    style: Style
    step_seconds: float
    save_every_seconds: float
    scenario: str | None = None
    seed: int = 0
    excluded: tuple[str, ...] = ()  # hosts that it asked not to run on

    @property
    def world_size(self) -> int:
        """Return the number of ranks."""
        return len(self.hosts) * GPUS_PER_NODE

    @property
    def iterates_at(self) -> float:
        """Return when launch and loading are over."""
        return self.starts_at + 75.0 + self.world_size / 16

    def host(self, rank: int) -> str:
        """Return where a rank runs."""
        return self.hosts[rank // GPUS_PER_NODE]

    def gpu(self, rank: int) -> int:
        """Return the index of a rank's GPU on its host."""
        return rank % GPUS_PER_NODE

    def ranks_on(self, host: str) -> range:
        """Return the ranks of one host."""
        first = self.hosts.index(host) * GPUS_PER_NODE
        return range(first, first + GPUS_PER_NODE)

    def pid(self, rank: int) -> int:
        """Return the process id of a rank inside its container."""
        base = digest(seed=self.seed, name=f"pid/{self.key}/{self.host(rank)}") % 3000 + 400
        return base + 7 * self.gpu(rank)

    def host_pid(self, rank: int) -> int:
        """Return the process id of a rank as the host's kernel counts it."""
        base = digest(seed=self.seed, name=f"hostpid/{self.key}/{self.host(rank)}") % 1_500_000
        return 200_000 + base + 11 * self.gpu(rank)

    def zone(self, node: SimulatedNode) -> str:
        """Return the zone that this session's lines from a node are printed in."""
        return node.zone if self.style.zone == ZONE else self.style.zone


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedLine:
    """One printed line and the true instant of it."""

    at: float
    stream: str
    host: str
    text: str
    attempt: SimulatedAttempt | None = None
    rank: int | None = None
    weight: Weight = Weight.INNOCENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a fault does to the values of a metric.

    `step` adds `amount` from `starts_at` on, `ramp` adds it gradually until `ends_at`, `sink` the
    same and takes it back then; `set` and `add` act inside the window, `gone` removes its samples.
    """

    metric: str  # a full name, or a prefix that ends in *
    host: str
    how: str
    starts_at: float
    ends_at: float = float("inf")
    amount: float = 0.0
    match: Mapping[str, str] = field(default_factory=dict)  # further labels


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """A part that really broke."""

    kind: str
    host: str | None = None
    gpu: int | None = None
    name: str | None = None
    rank: int | None = None
    pci: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What was really broken, for the ledger."""

    scenario: str
    kind: str
    attempts: tuple[SimulatedAttempt, ...]  # the first is the one the scenario is about
    layer: str
    cause: str
    culprits: tuple[Culprit, ...]
    has_incident: bool
    status: str
    parties: tuple[str, ...]
    failed_at: float
    newest_evidence_at: float
    live: bool = False
    needs_metrics: bool = False  # logs alone do not show it
    survived: "LostReplica | None" = None  # what the job went on without


@dataclass(frozen=True, slots=True, kw_only=True)
class LostReplica:
    """A replica that a job lost and went on without."""

    replica: int
    ranks: tuple[int, ...]
    at: float
    repaired_at: float  # who is left communicates again


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultOutcome:
    """Everything one fault leaves behind."""

    truth: Truth
    lines: tuple[PrintedLine, ...]
    effects: tuple[Effect, ...]
    halts: Mapping[str, float]  # attempt key → when its steps stop
    final_saves: Mapping[str, float] = field(default_factory=dict)  # a save that never ends
    slow_from: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # instant, factor
    slow_ranks: tuple[int, ...] = ()
    ended_at: Mapping[str, float] = field(default_factory=dict)
    exit_codes: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultScene:
    """What a fault is given: where and when it strikes, and who else is around."""

    cluster: SimulatedCluster
    attempt: SimulatedAttempt
    at: float
    dice: Dice
    live: bool = False
    companions: tuple[SimulatedAttempt, ...] = ()
    bystanders: tuple[str, ...] = ()  # hosts of other sessions
    silent_host: str = ""

    def node(self, host: str) -> SimulatedNode:
        """Return a node by name."""
        return self.cluster.by_name[host]

    def victim_rank(self, name: str = "victim") -> int:
        """Return the rank that breaks: never rank 0's host, never the host without a kernel log."""
        others = self.attempt.hosts[1:] or self.attempt.hosts
        allowed = [h for h in others if h != self.silent_host]
        host = self.dice.choice(name, allowed)
        return self.attempt.ranks_on(host)[self.dice.integer(f"{name} gpu", 0, GPUS_PER_NODE - 1)]

    def parties(self, *more: str) -> tuple[str, ...]:
        """Return who takes part: tenant, platform, operator and who answers for the layer."""
        return tuple(dict.fromkeys((self.attempt.organization, "keel", "aurora", *more)))
