"""Who runs what, where and when: six hours before the epoch, and what goes on after it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from apps.simulator.world.machines.cluster import ZONE, SimulatedCluster
from apps.simulator.world.noise import Dice
from apps.simulator.world.story import FaultScene, SimulatedAttempt, Style

PROJECTS = {"solar": "northwind", "lantern": "lumen"}
LIVE = "live"
BACK_FILL_SECONDS = 6 * 3600.0

_MINUTE = 60.0
_SOFTWARE = (  # releases that were shipped together
    ((2, 18, 5), (2, 2)),
    ((2, 21, 5), (2, 5)),
    ((2, 25, 1), (2, 6)),
    ((2, 27, 5), (2, 8)),
    ((2, 28, 9), (2, 9)),
    ((2, 30, 7), (2, 10)),
)


@dataclass(frozen=True, slots=True)
class Slot:
    """One attempt of the plan; minutes count from the epoch."""

    key: str
    job: str  # its first part is the project
    number: int
    nodes: tuple[int, int, int]  # first in the shuffled list, how many, how many a seed may add
    minutes: tuple[float, float | None]  # start; strike of the scenario, or healthy end
    scenario: str | None = None
    state: str = "failed"
    step: float = 6.0
    save: float = 540.0
    companion_of: str | None = None

    @property
    def project(self) -> str:
        """Return the project that the job belongs to."""
        return self.job.partition("-")[0]


SLOTS = (
    Slot("A1", "solar-100b", 1, (0, 14, 4), (-357, -334), scenario="xid79-pcie"),
    Slot("B1", "solar-embed", 1, (20, 8, 3), (-355, -318), scenario="ecc94"),
    Slot("C1", "lantern-13b", 1, (40, 8, 4), (-352, -341), scenario="python-exception"),
    Slot("C2", "lantern-13b", 2, (40, 8, 4), (-331, -292), scenario="nvlink149"),
    Slot("A2", "solar-100b", 2, (0, 14, 4), (-326, -298), scenario="port-flap"),
    Slot("B2", "solar-embed", 2, (20, 8, 3), (-306, -205), scenario="walltime", state="walltime"),
    Slot("A3", "solar-100b", 3, (0, 14, 4), (-288, -252), scenario="host-oom"),
    Slot("C3", "lantern-13b", 3, (40, 8, 4), (-280, -238), scenario="gsp119"),
    Slot(
        "A4", "solar-pro", 1, (0, 60, 0), (-168, -118), scenario="nfs-queue", step=9.0, save=1500.0
    ),
    Slot("C4", "lantern-7b", 1, (60, 2, 0), (-170, -118), save=1500.0, companion_of="nfs-queue"),
    Slot("B3", "solar-eval", 1, (62, 1, 0), (-172, -97), state="finished", save=1300.0),
    Slot(
        "C5",
        "lantern-vl",
        1,
        (40, 8, 3),
        (-95, -66),
        scenario="thermal-straggler",
        state="finished",
    ),
    Slot("A5", "solar-instruct", 1, (0, 10, 4), (-92, -32), state="finished"),
    Slot("C6", "lantern-13b", 4, (52, 8, 2), (-90, -55), scenario="no-evidence"),
    Slot("A6", "solar-pro", 2, (0, 60, 0), (-26, None), scenario=LIVE, step=9.0, save=2400.0),
    Slot("C7", "lantern-7b", 2, (60, 1, 0), (-27, None), state="running", save=900.0),
    Slot(
        "B4",
        "solar-rl",
        1,
        (61, 2, 0),
        (-28, -14),
        scenario="replica-lost",
        state="running",
        save=900.0,
    ),
)
_DRAINED_AFTER = "xid79-pcie"  # whose node is left out of the job's later attempts
_SPARE_POSITION = 18  # in no slice beside those of the sixty nodes
_SLOW_END_MINUTE = -34.0  # when the straggler's session is done
_SILENT_POSITION = 53  # in the slice of the attempt whose failure leaves no evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All attempts of one seed and epoch."""

    cluster: SimulatedCluster
    epoch: float
    attempts: tuple[SimulatedAttempt, ...]
    strikes: dict[str, float]  # attempt key → when its scenario strikes
    silent_host: str

    def attempt(self, key: str) -> SimulatedAttempt:
        """Return an attempt by its key."""
        return next(a for a in self.attempts if a.key == key)

    def of_scenario(self, name: str) -> tuple[SimulatedAttempt, ...]:
        """Return the attempts that a scenario strikes: its own first, then companions."""
        companions = {slot.key for slot in SLOTS if slot.companion_of == name}
        own = [a for a in self.attempts if a.scenario == name]
        return (*own, *(a for a in self.attempts if a.key in companions))


def scenario_names() -> tuple[str, ...]:
    """Return the scenarios in the order they strike."""
    return tuple(slot.scenario for slot in SLOTS if slot.scenario)


def make_plan(*, seed: int, epoch: float, live_at: float | None = None) -> Plan:
    """Lay out the six hours before the epoch; at `live_at` the running main session breaks."""
    cluster = SimulatedCluster(seed=seed)
    dice = Dice(seed=seed).at("plan")
    order = dice.shuffled("nodes", [node.name for node in cluster.nodes])
    styles = dice.shuffled("styles", _SOFTWARE)
    attempts: list[SimulatedAttempt] = []
    strikes: dict[str, float] = {}
    shared_jitter = dice.between("jitter/shared", -1.5, 1.5)
    for position, slot in enumerate(SLOTS):
        attempt = _attempt(slot, seed, epoch, dice, order, styles[position % len(styles)])
        is_shared = slot.companion_of or slot.scenario == "nfs-queue"
        jitter = shared_jitter if is_shared else dice.between(f"jitter/{slot.key}", -2.0, 2.0)
        if slot.minutes[1] is not None:
            strikes[slot.key] = epoch + (slot.minutes[1] + jitter) * _MINUTE
        elif slot.scenario == LIVE and live_at is not None:
            strikes[slot.key] = live_at
        attempts.append(_with_end(attempt, slot, strikes.get(slot.key), epoch))
    return Plan(
        cluster=cluster,
        epoch=epoch,
        attempts=tuple(_without_drained(attempts, cluster, order)),
        strikes=strikes,
        silent_host=order[_SILENT_POSITION],
    )


def _with_end(
    attempt: SimulatedAttempt, slot: Slot, strike: float | None, epoch: float
) -> SimulatedAttempt:
    """Give an end to what has one by plan; scenarios set their own later."""
    if slot.scenario == "thermal-straggler":
        return replace(attempt, ends_at=epoch + _SLOW_END_MINUTE * _MINUTE)
    if slot.state == "running":
        return attempt  # what strikes it does not end it
    if slot.scenario == LIVE and strike is None:
        return replace(attempt, state="running")
    return replace(attempt, ends_at=strike)


def _without_drained(
    attempts: Sequence[SimulatedAttempt], cluster: SimulatedCluster, order: Sequence[str]
) -> Iterator[SimulatedAttempt]:
    """Yield the attempts; the job whose node was drained goes on with a spare one in its place."""
    struck = next(each for each in attempts if each.scenario == _DRAINED_AFTER)
    silent = order[_SILENT_POSITION]
    drained = struck.host(victim_rank(cluster=cluster, attempt=struck, silent_host=silent))
    for each in attempts:
        is_later = each.session == struck.session and each.number > struck.number
        if not is_later:
            yield each
            continue
        kept = (host for host in each.hosts if host != drained)
        yield replace(
            each, hosts=tuple(sorted((*kept, order[_SPARE_POSITION]))), excluded=(drained,)
        )


def victim_rank(*, cluster: SimulatedCluster, attempt: SimulatedAttempt, silent_host: str) -> int:
    """Return the rank that the attempt's scenario will break."""
    dice = Dice(seed=cluster.seed).at(f"fault/{attempt.scenario}")
    scene = FaultScene(cluster=cluster, attempt=attempt, at=0.0, dice=dice, silent_host=silent_host)
    return scene.victim_rank()


def _attempt(
    slot: Slot,
    seed: int,
    epoch: float,
    dice: Dice,
    order: list[str],
    software: tuple[tuple[int, int, int], tuple[int, int]],
) -> SimulatedAttempt:
    first, size, varies = slot.nodes
    size += dice.integer(f"size/{slot.job}", 0, varies)
    organization = PROJECTS[slot.project]
    start = slot.minutes[0] + dice.between(f"start/{slot.key}", -0.9, 0.9)
    number = dice.integer(f"session/{slot.job}", 100, 999)
    return SimulatedAttempt(
        key=slot.key,
        organization=organization,
        project=slot.project,
        job=slot.job,
        session=f"{slot.job}-{number}",
        number=slot.number,
        hosts=tuple(sorted(order[first : first + size])),
        starts_at=epoch + start * _MINUTE,
        ends_at=None,
        state=slot.state,
        style=_style(slot, dice, size, software, is_tenant_utc=organization == "lumen"),
        step_seconds=slot.step * dice.between(f"step/{slot.job}", 0.8, 1.2),
        save_every_seconds=slot.save * dice.between(f"save/{slot.job}", 0.9, 1.1),
        scenario=slot.scenario,
        seed=seed,
    )


def _style(
    slot: Slot,
    dice: Dice,
    size: int,
    software: tuple[tuple[int, int, int], tuple[int, int]],
    *,
    is_tenant_utc: bool,
) -> Style:
    """Small sessions keep a file per rank, large ones a merged file per host."""
    layouts = ("srun", "tee") if size > 12 else ("rank", "rank", "srun")
    return Style(
        trainer=dice.choice(f"trainer/{slot.key}", ("megatron", "deepspeed", "titan")),
        nccl=software[0],
        torch=software[1],
        scheduler="slurm" if is_tenant_utc else "backend.ai",
        layout=dice.choice(f"layout/{slot.key}", layouts),
        zone="UTC" if is_tenant_utc else ZONE,
    )
