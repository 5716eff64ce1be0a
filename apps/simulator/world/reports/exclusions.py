"""Which nodes the operator leaves out, when, why, and until when."""

from dataclasses import dataclass

from apps.simulator.world.plan import LIVE
from apps.simulator.world.story import FaultOutcome
from apps.simulator.world.world import World

_PEOPLE = ("j.ahn", "m.ferrari", "s.okafor")
# Of each kind of failure: what is written down, and how long the node stays out.
_EARLIER = {
    "ecc94": ("ECC error, GPU reset and memory test", 19 * 3600.0),
    "nvlink149": ("NVLink down, baseboard reseated", 46 * 3600.0),
    "xid79-pcie": ("GPU off the bus, riser card changed", 30 * 3600.0),
}
_BACK_BEFORE_EPOCH = 176 * 60.0  # before the job of sixty nodes wants it


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedExclusion:
    """A node is left out."""

    host: str
    kind: str  # drain, down, …
    at: float
    until: float | None  # None: still out
    by: str
    reason: str
    cause: str


def exclusions_of(*, world: World, earlier: World) -> list[SimulatedExclusion]:
    """Return all of them in order of time: those of the weeks before, of the six hours, of now."""
    found = [_earlier(outcome) for outcome in earlier.outcomes.values()]
    lost = world.outcomes["xid79-pcie"]
    found.append(
        _drained(lost, after=95.0, until=world.plan.epoch - _BACK_BEFORE_EPOCH, by=_PEOPLE[0])
    )
    if live := world.outcomes.get(LIVE):
        found.append(_drained(live, after=45.0, until=None, by=_PEOPLE[1]))
    return sorted(found, key=lambda each: each.at)


def _drained(
    outcome: FaultOutcome, *, after: float, until: float | None, by: str
) -> SimulatedExclusion:
    culprit = outcome.truth.culprits[0]
    return SimulatedExclusion(
        host=culprit.host or "",
        kind="drain",
        at=outcome.truth.newest_evidence_at + after,
        until=until,
        by=by,
        reason=f"Xid 79 on GPU {culprit.gpu}: power cycle",
        cause=outcome.truth.cause,
    )


def _earlier(outcome: FaultOutcome) -> SimulatedExclusion:
    reason, seconds = _EARLIER[outcome.truth.scenario]
    at = outcome.truth.newest_evidence_at + 240.0
    return SimulatedExclusion(
        host=outcome.truth.culprits[0].host or "",
        kind="drain",
        at=at,
        until=at + seconds,
        by=_PEOPLE[2],
        reason=reason,
        cause=outcome.truth.cause,
    )
