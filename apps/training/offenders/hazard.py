"""How soon a node's next incident comes after its first, its second, its third."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from apps.diagnosis.intervals import RateInterval

DAY_SECONDS = 86400.0
# The index up to which one is looked at apart; the last holds all further ones.
LAST_INDEX = 20
# What is told again within this time is the same incident.
SAME = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hazard:
    """What follows the incident of an index (0: since a node is watched).

    `next_incidents` has the next ones that came, in the days that nodes stood at this index: those
    of nodes that still wait for theirs are counted with.
    """

    index: int
    nodes: int
    next_incidents: RateInterval

    @property
    def mean_days(self) -> float | None:
        """Return the mean days to the next incident; None where none came."""
        found = self.next_incidents
        return found.days / found.count if found.count else None

    @property
    def mean_days_interval(self) -> tuple[float, float | None]:
        """Return the exact 95 % interval of that mean; it has no upper end where none came."""
        low, high = self.next_incidents.interval or (0.0, float("inf"))
        return 1 / high, 1 / low if low else None


def hazards(
    incidents: Mapping[str, Iterable[datetime]],
    *,
    starts_at: datetime,
    ends_at: datetime,
    last_index: int = LAST_INDEX,
) -> list[Hazard]:
    """Return the hazard by index of nodes that were watched between two instants.

    `incidents` names all nodes, those without any included. Only what lies between the instants
    counts; what follows within an hour is the same incident.
    """
    count, days, nodes = ([0.0] * (last_index + 1) for _ in range(3))
    for told in incidents.values():
        within = _apart(at for at in told if starts_at <= at < ends_at)
        instants = [starts_at, *within, ends_at]
        for index, (before, after) in enumerate(pairwise(instants)):
            at = min(index, last_index)
            days[at] += (after - before).total_seconds() / DAY_SECONDS
            count[at] += index < len(within)
        for at in {min(index, last_index) for index in range(len(within) + 1)}:
            nodes[at] += 1
    return [
        Hazard(
            index=index,
            nodes=int(nodes[index]),
            next_incidents=RateInterval(count=int(count[index]), days=days[index]),
        )
        for index in range(last_index + 1)
        if days[index]
    ]


def _apart(instants: Iterable[datetime]) -> list[datetime]:
    found: list[datetime] = []
    for at in sorted(set(instants)):
        if not found or at - found[-1] > SAME:
            found.append(at)
    return found
