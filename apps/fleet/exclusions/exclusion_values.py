"""An exclusion as one organization reads it, and when a node was left out at all."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from apps.fleet.models import ExclusionKind
from apps.tenancy.values import OrganizationName


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionView:
    """A node was left out. Of what is another's, only that, how and when (`is_brief`)."""

    host: str
    kind: ExclusionKind
    starts_at: datetime
    ends_at: datetime | None  # None: nobody told of an end
    is_claimed: bool  # a tenant's word, of a job of its own
    is_brief: bool  # who, why and for whom is hidden by policy
    teller: OrganizationName | None = None
    is_own: bool = False  # told by the reader's organization
    session: str = ""  # the job that left it out, by the scheduler's id
    session_id: str = ""  # the same as a session that the reader may know of
    by: str = ""
    reason: str = ""
    cause: str = ""
    incident: str = ""

    @property
    def is_of_job(self) -> bool:
        """Say whether one job alone left it out."""
        return self.kind == ExclusionKind.JOB

    def is_in_force(self, now: datetime) -> bool:
        """Say whether the node is left out by this at an instant, for everybody."""
        is_over = self.ends_at is not None and self.ends_at <= now
        return not self.is_of_job and self.starts_at <= now and not is_over


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcludedTime:
    """From when to when a node was left out, by however many at once."""

    host: str
    starts_at: datetime
    ends_at: datetime | None
    parts: tuple[ExclusionView, ...]  # the first one first


def excluded_times(exclusions: Iterable[ExclusionView]) -> list[ExcludedTime]:
    """Return when nodes were left out for everybody, by host and time.

    What overlaps is one: a node that is drained, goes down and gets another reason was left out
    once.
    """
    found: list[ExcludedTime] = []
    nodes = [each for each in exclusions if not each.is_of_job]
    for each in sorted(nodes, key=lambda one: (one.host, one.starts_at, one.kind)):
        last = found[-1] if found else None
        if last and last.host == each.host and _meets(last, each):
            found[-1] = ExcludedTime(
                host=last.host,
                starts_at=last.starts_at,
                ends_at=_later(last.ends_at, each.ends_at),
                parts=(*last.parts, each),
            )
        else:
            found.append(
                ExcludedTime(
                    host=each.host, starts_at=each.starts_at, ends_at=each.ends_at, parts=(each,)
                )
            )
    return found


def _meets(last: ExcludedTime, each: ExclusionView) -> bool:
    return last.ends_at is None or each.starts_at <= last.ends_at


def _later(first: datetime | None, second: datetime | None) -> datetime | None:
    return max(first, second) if first and second else None
