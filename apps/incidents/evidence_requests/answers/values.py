"""What is asked of a rule, and what it found. Plain values."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.diagnosis.checks.load import Check
from apps.diagnosis.model import Statement
from apps.incidents.models import Incident


class CheckOutcome(StrEnum):
    """Whether it is as the rule says."""

    HOLDS = "holds"
    PARTLY = "partly"  # it holds as far as there is data; the rest is open
    FAILS = "fails"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSubject:
    """Of whose data, of which hosts and of when it is asked."""

    holder_id: int
    cluster_id: int
    incident: Incident
    hosts: tuple[str, ...]  # that the asker knows by name
    knows_all_hosts: bool  # it does of those of the whole cluster
    named: Callable[[str], str]  # any spelling of a host → its name
    starts_at: datetime
    ends_at: datetime
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Why something can't be told: of which host, and what is missing."""

    host: str  # empty: of all
    why: Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveredPart:
    """A part of what was asked for of which there is data without a gap."""

    hosts: tuple[str, ...]  # empty: the logs of the cluster
    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """What a rule found in the holder's data: one of the outcomes, and on what it rests."""

    check: Check
    outcome: CheckOutcome
    told: Statement
    count: int = 0  # of lines, or of series that broke the limit
    first_at: datetime | None = None
    gaps: tuple[Gap, ...] = ()
    looked_at: int = 0  # logs or series that were there
    part: CoveredPart | None = None  # of which it holds, where that is not all
