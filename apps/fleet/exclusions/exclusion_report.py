"""What one party says of nodes that are left out, or in use again."""

from dataclasses import dataclass
from datetime import datetime

from apps.fleet.hosts.host_names import short
from apps.fleet.models import ExclusionKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionReport:
    """A node is left out from an instant on. Empty: not said."""

    host: str
    kind: ExclusionKind
    at: datetime
    session: str = ""  # the job that leaves it out; empty: everybody does
    by: str = ""
    reason: str = ""
    cause: str = ""
    incident: str = ""
    seen_at: datetime | None = None  # when a list said that it still is; None: no list says it


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnReport:
    """At an instant a node is in use again.

    Without a host it is many: those `in_use`, else all but those `left_out`.
    """

    at: datetime
    host: str = ""
    kind: ExclusionKind | None = None  # None: however it was left out
    session: str = ""
    in_use: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionBatch:
    """What one message says. Sets in effect: doubled entries and their order mean nothing."""

    exclusions: tuple[ExclusionReport, ...] = ()
    returns: tuple[ReturnReport, ...] = ()

    @property
    def count(self) -> int:
        """Return how many entries it has."""
        return len(self.exclusions) + len(self.returns)

    @property
    def told_count(self) -> int:
        """Return how many entries its sender wrote.

        Of a list these are the nodes that it names: that all others are in use is no entry.
        """
        out = {short(name=each.host) for each in self.exclusions}
        free = {short(name=host) for each in self.returns for host in each.in_use} - out
        return len(self.exclusions) + len(free) + sum(bool(each.host) for each in self.returns)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionIntake:
    """What came of one message. The same message again begins, ends and reopens nothing."""

    accepted_count: int  # entries that were taken
    begun_count: int  # exclusions that were not known
    ended_count: int  # that end, or end at another time than was known
    reopened_count: int  # that had an end, and go on
