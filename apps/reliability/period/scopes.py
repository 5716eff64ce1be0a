"""Of whom a period is counted, over which days, and why a figure is not there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from apps.fleet.values import ClusterName
from apps.tenancy.values import OrganizationName


class PeriodAudience(StrEnum):
    """Whose sessions and incidents are counted."""

    OWN = "own"  # the organization's own sessions, on all clusters or on one
    CLUSTER = "cluster"  # all of a cluster that the organization may read
    JOINT = "joint"  # what all parties of a cluster may read: the same figures for each


# As reliability calls it; incidents have audiences of annotations.
Audience = PeriodAudience


class Absence(StrEnum):
    """Why a figure is not there. None of them is zero."""

    NOTHING = "nothing"  # nothing of it was there to be counted
    NOT_TOLD = "not-told"  # nobody told what it takes
    HIDDEN = "hidden"  # others hold what it takes, and no agreement shows it
    OTHER_TENANTS = "other-tenants"  # it would tell one tenant of another one's sessions


class CountedKind(StrEnum):
    """What ids name."""

    SESSIONS = "sessions"
    ATTEMPTS = "attempts"  # `<session>#<number>`
    INCIDENTS = "incidents"
    HOSTS = "hosts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a figure counts. `ids` are the first ones, in order; `count` is of all of them."""

    kind: CountedKind
    count: int
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodScope:
    """Of whom a period is counted, and from when to when: the end is not in it."""

    audience: Audience
    organization: OrganizationName  # who reads it
    cluster: ClusterName | None  # None: all of the organization's own
    starts_at: datetime
    ends_at: datetime
    with_simulated: bool

    @property
    def days(self) -> float:
        """Return how long it is."""
        return (self.ends_at - self.starts_at) / timedelta(days=1)

    @property
    def first_day(self) -> date:
        """Return the first day that is in it."""
        return self.starts_at.date()

    @property
    def last_day(self) -> date:
        """Return the last day that is in it."""
        return (self.ends_at - timedelta(microseconds=1)).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number with what it rests on.

    `value` is None where it is absent, and `absence` says why. `n` is how many sessions, attempts
    or incidents it rests on; the interval holds 95 %, its upper end is None where nothing bounds
    it. `counted` are those that it counts.
    """

    value: float | None
    n: int
    interval: tuple[float, float | None] | None = None
    counted: Counted | None = None
    absence: Absence | None = None
    is_at_least: bool = False  # parts of it are not known


@dataclass(frozen=True, slots=True, kw_only=True)
class WithheldFigure:
    """A figure that is not shown though it may be known: its name, and why."""

    figure: str
    absence: Absence


def absent(absence: Absence, *, n: int = 0) -> Figure:
    """Return a figure that is not there."""
    return Figure(value=None, n=n, absence=absence)


MOST_IDS = 500


def counted(kind: CountedKind, ids: Sequence[str]) -> Counted:
    """Return what a figure counts, each once, in a fixed order."""
    every = sorted(set(ids))
    return Counted(kind=kind, count=len(every), ids=tuple(every[:MOST_IDS]))
