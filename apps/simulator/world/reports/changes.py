"""What parties say that they changed: a deploy that broke a session, others that broke none."""

from dataclasses import dataclass

from apps.simulator.world.story import SimulatedAttempt
from apps.simulator.world.world import World

DRIVERS = ("570.148.08", "580.105.08")
_NODES = 3  # of a rolling upgrade


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedChange:
    """Somebody changed something. Without hosts it is of the whole cluster."""

    party: str
    key: str
    kind: str
    layer: str
    at: float
    title: str
    hosts: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    reference: str = ""
    by: str = ""


def changes_of(*, world: World) -> list[SimulatedChange]:
    """Return all of them in order of time."""
    broken = world.outcomes["python-exception"].truth
    memory = world.outcomes["ecc94"].truth
    nodes = sorted({part.host for part in memory.culprits if part.host})
    others = [each for each in _attempt_on(world, nodes[0]).hosts if each not in nodes]
    run = next(each for each in world.attempts if broken.culprits[0].host in each.hosts)
    found = [
        SimulatedChange(
            party=run.organization,
            key="trainer-1.8.2",
            kind="deploy",
            layer="software",
            at=run.starts_at - 240.0,
            title=f"{run.job}: data loader rewritten",
            hosts=tuple(run.hosts),
            before="1.8.1",
            after="1.8.2",
            reference="MR-731",
            by="ci",
        ),
        SimulatedChange(
            party="aurora",
            key="driver-wave-4",
            kind="driver",
            layer="gpu",
            at=memory.failed_at - 14 * 60.0,
            title="GPU driver, fourth wave",
            hosts=tuple(sorted([*nodes, *others][:_NODES])),
            before=DRIVERS[0],
            after=DRIVERS[1],
            reference="CHG-2214",
            by="ansible",
        ),
        SimulatedChange(
            party="verdant",
            key="routes-88",
            kind="configuration",
            layer="network",
            at=world.plan.epoch - 400 * 60.0,
            title="Adaptive routing on all leaf switches",
            reference="NET-88",
            by="r.okoye",
        ),
    ]
    return sorted(found, key=lambda each: each.at)


def _attempt_on(world: World, host: str) -> SimulatedAttempt:
    return next(each for each in world.attempts if host in each.hosts)
