"""What one party says of nodes that are left out, or in use again."""

from dataclasses import dataclass
from datetime import datetime

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
