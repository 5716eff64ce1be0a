"""What watching metrics leads to: bands of time that explain movement, and fused episodes."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.diagnosis.model.parts import Device
from apps.diagnosis.model.statements import Statement
from apps.diagnosis.model.words import Layer


class BandKind(StrEnum):
    """Why metrics of many members move together without a fault."""

    SAVE = "save"
    LOAD = "load"
    START = "start"
    STOP = "stop"
    MAINTENANCE = "maintenance"
    OUTAGE = "outage"  # of the source: nothing is known of that time


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A half-open span in which some hosts move for a known reason; without hosts, all do."""

    kind: BandKind
    starts_at: datetime
    ends_at: datetime
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What one metric family adds to an episode: its strongest finding, in the signal's unit."""

    family: str
    layer: Layer
    kind: str  # the detector's word: Anomaly.kind
    signal: str
    entity: Device
    starts_at: datetime
    noticed_at: datetime
    weight: float  # evidence in 0..1
    value: float | None = None
    baseline: float | None = None
    unit: str = ""
    detail: str = ""
    ends_at: datetime | None = None  # when it was last seen, as far as the finding says


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyWarning:
    """Findings of one entity, or of a shared part, that belong together.

    It is told with two families or more (a page); one family alone is a signal. Nothing in it was
    known later than `raised_at`, but for `ends_at` and what `contributions` gained afterwards. A
    hard fact that comes to a page without one makes a page of its own, which `upgrades` the former.
    """

    entity: Device  # a node or its part; a server, mount or switch where many hosts share it
    layer: Layer
    starts_at: datetime  # of the first finding
    raised_at: datetime  # when a watcher that sees only the past would have told
    ends_at: datetime | None  # None: goes on
    score: float  # evidence in 0..1
    contributions: tuple[Contribution, ...]  # one per family, the heaviest first
    is_page: bool
    hosts: tuple[str, ...] = ()  # all that show it, when the entity is shared
    causes: tuple[str, ...] = ()  # slugs that the findings speak for, the best first
    statement: Statement | None = None  # what it tells, the cause as inferred
    is_fatal: bool = False  # a fact among its findings with which the part cannot work on
    upgrades: bool = False  # graver news on an entity whose page is still open

    @property
    def families(self) -> tuple[str, ...]:
        """The families that contributed."""
        return tuple(each.family for each in self.contributions)


def presence_of(part: str) -> str:
    """Return the family of series that stopped: a family apart for each kind of part."""
    return f"presence of {part}"


def without_part(family: str) -> str:
    """Return a family without the kind of part that its series are of."""
    return family.partition(" of ")[0]
