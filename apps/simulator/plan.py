"""Who runs what, where and when: six hours of attempts before the epoch, and what goes on after it."""

from dataclasses import dataclass, replace

from apps.simulator.cluster import ZONE, Cluster
from apps.simulator.noise import Dice
from apps.simulator.story import Attempt, Style

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One attempt of the plan; minutes count from the epoch."""

    key: str
    project: str
    job: str
    number: int
    first: int  # position in the shuffled list of nodes
    size: int
    starts: float
    strikes: float | None  # when its scenario strikes, or when a healthy attempt ends
    scenario: str | None = None
    state: str = "failed"
    varies: int = 0  # nodes that a seed may add
    step: float = 6.0
    save: float = 540.0
    companion_of: str | None = None


SLOTS = (
    Slot(key="A1", project="solar", job="solar-100b", number=1, first=0, size=14, varies=4, starts=-357, strikes=-334, scenario="xid79-pcie"),
    Slot(key="B1", project="solar", job="solar-embed", number=1, first=20, size=8, varies=3, starts=-355, strikes=-318, scenario="ecc94"),
    Slot(key="C1", project="lantern", job="lantern-13b", number=1, first=40, size=8, varies=4, starts=-352, strikes=-341, scenario="python-exception"),
    Slot(key="C2", project="lantern", job="lantern-13b", number=2, first=40, size=8, varies=4, starts=-331, strikes=-292, scenario="nvlink149"),
    Slot(key="A2", project="solar", job="solar-100b", number=2, first=0, size=14, varies=4, starts=-326, strikes=-298, scenario="port-flap"),
    Slot(key="B2", project="solar", job="solar-embed", number=2, first=20, size=8, varies=3, starts=-306, strikes=-205, scenario="walltime", state="walltime"),
    Slot(key="A3", project="solar", job="solar-100b", number=3, first=0, size=14, varies=4, starts=-288, strikes=-252, scenario="host-oom"),
    Slot(key="C3", project="lantern", job="lantern-13b", number=3, first=40, size=8, varies=4, starts=-280, strikes=-238, scenario="gsp119"),
    Slot(key="A4", project="solar", job="solar-pro", number=1, first=0, size=60, starts=-168, strikes=-118, scenario="nfs-queue", step=9.0, save=1500.0),
    Slot(key="C4", project="lantern", job="lantern-7b", number=1, first=60, size=2, starts=-170, strikes=-118, companion_of="nfs-queue", save=1500.0),
    Slot(key="B3", project="solar", job="solar-eval", number=1, first=62, size=1, starts=-172, strikes=-97, state="finished", save=1300.0),
    Slot(key="C5", project="lantern", job="lantern-vl", number=1, first=40, size=8, varies=3, starts=-95, strikes=-66, scenario="thermal-straggler", state="finished"),
    Slot(key="A5", project="solar", job="solar-instruct", number=1, first=0, size=10, varies=4, starts=-92, strikes=-32, state="finished"),
    Slot(key="C6", project="lantern", job="lantern-13b", number=4, first=52, size=8, varies=2, starts=-90, strikes=-55, scenario="no-evidence"),
    Slot(key="A6", project="solar", job="solar-pro", number=2, first=0, size=60, starts=-26, strikes=None, scenario=LIVE, step=9.0, save=1500.0),
    Slot(key="C7", project="lantern", job="lantern-7b", number=2, first=60, size=2, starts=-27, strikes=None, state="running", save=900.0),
    Slot(key="B4", project="solar", job="solar-eval", number=2, first=62, size=1, starts=-28, strikes=None, state="running", save=900.0),
)  # fmt: skip
_SLOW_END_MINUTE = -34.0  # when the straggler's session is done
_SILENT_POSITION = 53  # in the slice of the attempt whose failure leaves no evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All attempts of one seed and epoch."""

    cluster: Cluster
    epoch: float
    attempts: tuple[Attempt, ...]
    strikes: dict[str, float]  # attempt key → when its scenario strikes
    silent_host: str

    def attempt(self, key: str) -> Attempt:
        """Return an attempt by its key."""
        return next(a for a in self.attempts if a.key == key)

    def of_scenario(self, name: str) -> tuple[Attempt, ...]:
        """Return the attempts that a scenario strikes: its own first, then companions."""
        companions = {slot.key for slot in SLOTS if slot.companion_of == name}
        own = [a for a in self.attempts if a.scenario == name]
        return (*own, *(a for a in self.attempts if a.key in companions))


def scenario_names() -> tuple[str, ...]:
    """Return the scenarios in the order they strike."""
    return tuple(slot.scenario for slot in SLOTS if slot.scenario)


def make_plan(*, seed: int, epoch: float, live_at: float | None = None) -> Plan:
    """Lay out the six hours before the epoch; with `live_at` the running main session breaks then."""
    cluster = Cluster(seed=seed)
    dice = Dice(seed=seed).at("plan")
    order = dice.shuffled("nodes", [node.name for node in cluster.nodes])
    styles = dice.shuffled("styles", _SOFTWARE)
    attempts: list[Attempt] = []
    strikes: dict[str, float] = {}
    shared_jitter = dice.between("jitter/shared", -1.5, 1.5)
    for position, slot in enumerate(SLOTS):
        attempt = _attempt(slot, seed, epoch, dice, order, styles[position % len(styles)])
        is_shared = slot.companion_of or slot.scenario == "nfs-queue"
        jitter = shared_jitter if is_shared else dice.between(f"jitter/{slot.key}", -2.0, 2.0)
        if slot.strikes is not None:
            strikes[slot.key] = epoch + (slot.strikes + jitter) * _MINUTE
        elif slot.scenario == LIVE and live_at is not None:
            strikes[slot.key] = live_at
        attempts.append(_with_end(attempt, slot, strikes.get(slot.key), epoch))
    return Plan(
        cluster=cluster,
        epoch=epoch,
        attempts=tuple(attempts),
        strikes=strikes,
        silent_host=order[_SILENT_POSITION],
    )


def _with_end(attempt: Attempt, slot: Slot, strike: float | None, epoch: float) -> Attempt:
    """Give an end to what has one by plan; scenarios set their own later."""
    if slot.scenario == "thermal-straggler":
        return replace(attempt, ends_at=epoch + _SLOW_END_MINUTE * _MINUTE)
    if slot.scenario == LIVE and strike is None:
        return replace(attempt, state="running")
    return replace(attempt, ends_at=strike)


def _attempt(
    slot: Slot,
    seed: int,
    epoch: float,
    dice: Dice,
    order: list[str],
    software: tuple[tuple[int, int, int], tuple[int, int]],
) -> Attempt:
    size = slot.size + dice.integer(f"size/{slot.job}", 0, slot.varies)
    organization = PROJECTS[slot.project]
    start = slot.starts + dice.between(f"start/{slot.key}", -0.9, 0.9)
    number = dice.integer(f"session/{slot.job}", 100, 999)
    return Attempt(
        key=slot.key,
        organization=organization,
        project=slot.project,
        job=slot.job,
        session=f"{slot.job}-{number}",
        number=slot.number,
        hosts=tuple(sorted(order[slot.first : slot.first + size])),
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
