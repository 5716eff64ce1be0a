"""What happened to one node in the weeks before: three small sessions died on it.

It is a world of its own, of three attempts and no metrics, told once and long ago.
"""

from dataclasses import replace

from apps.simulator.world.machines.cluster import ZONE
from apps.simulator.world.noise import Dice
from apps.simulator.world.plan import Plan
from apps.simulator.world.story import SimulatedAttempt, Style, Truth
from apps.simulator.world.world import World

_DAY = 86_400.0
_RAN_SECONDS = 2400.0
# How many days ago, and of what.
_FAILURES = ((23.2, "ecc94"), (14.6, "nvlink149"), (6.4, "xid79-pcie"))
_JOB = "solar-sweep"


def earlier_weeks(world: World) -> World:
    """Return the failures of the node that fails again and again."""
    host = lemon(world)
    attempts = [_attempt(world, host, days, cause) for days, cause in _FAILURES]
    plan = Plan(
        cluster=world.plan.cluster,
        epoch=world.plan.epoch,
        attempts=tuple(attempts),
        strikes={each.key: each.starts_at + _RAN_SECONDS for each in attempts},
        silent_host=world.plan.silent_host,
    )
    return World(plan=plan)


def lemon(world: World) -> str:
    """Return the node that fails again: none that is blamed for anything of the six hours."""
    blamed = {part.host for each in world.outcomes.values() for part in each.truth.culprits}
    used = {h for each in world.plan.attempts if len(each.hosts) < 60 for h in each.hosts}
    names = [node.name for node in world.plan.cluster.nodes]
    free = [name for name in names if name not in used | blamed | {world.plan.silent_host}]
    return Dice(seed=world.plan.cluster.seed).choice("lemon", free)


def earlier_truths(earlier: World) -> list[Truth]:
    """Return the truth of each, under a name of its own."""
    truths = [outcome.truth for outcome in earlier.outcomes.values()]
    return [replace(each, scenario=f"earlier-{each.scenario}") for each in truths]


def _attempt(world: World, host: str, days_ago: float, cause: str) -> SimulatedAttempt:
    dice = Dice(seed=world.plan.cluster.seed).at(f"earlier/{cause}")
    starts_at = world.plan.epoch - days_ago * _DAY
    return SimulatedAttempt(
        key=f"W-{cause}",
        organization="northwind",
        project="solar",
        job=_JOB,
        session=f"{_JOB}-{dice.integer('session', 100, 999)}",
        number=1,
        hosts=(host,),
        starts_at=starts_at,
        ends_at=starts_at + _RAN_SECONDS,
        state="failed",
        style=Style(
            trainer=dice.choice("trainer", ("megatron", "deepspeed", "titan")),
            nccl=(2, 27, 5),
            torch=(2, 8),
            scheduler="backend.ai",
            layout="rank",
            zone=ZONE,
        ),
        step_seconds=dice.between("step", 5.0, 7.0),
        save_every_seconds=600.0,
        scenario=cause,
        seed=world.plan.cluster.seed,
    )
