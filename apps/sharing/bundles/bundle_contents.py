"""What a holder has of an incident and may give, and what it chooses of that."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from apps.sharing.terms import Level
from apps.telemetry.evidence.captured_series import CapturedSeries

DAYS, MOST_DAYS = 14, 90
NEIGHBOURS: Final = (0, 3, 20)  # of a cited line on each side
LEVELS: Final = (Level.REDACTED, Level.FULL)
PURPOSE_LIMIT: Final = 500
OUTSIDE_LIMIT: Final = 120
LIVE_AT_MOST: Final = 200  # with content, of one organization
LIVE_BYTES_AT_MOST: Final = 2**30  # of all these files


class BadBundleChoice(ValueError):
    """A bundle can't be made so; the text says why."""


class BundleSection(StrEnum):
    """What a bundle may hold."""

    EVIDENCE = "evidence"
    LINES = "lines"
    SERIES = "series"
    SESSIONS = "sessions"


class WithheldReason(StrEnum):
    """Why something of an incident is not in a bundle."""

    NOT_YOURS = "not-yours"  # another party's, also where an agreement shows it
    NAMES_OTHERS = "names-another-party"
    OF_OTHERS = "of-another-session"  # of another tenant's, which its recipient must not know of
    NOT_KEPT = "not-kept"
    OVER_LIMIT = "over-limit"


# Told to the holder alone where a count would tell one of several tenants of another.
UNTOLD: Final = frozenset(
    {WithheldReason.NOT_YOURS, WithheldReason.NAMES_OTHERS, WithheldReason.OF_OTHERS}
)
Withheld = Mapping[tuple[BundleSection, WithheldReason], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleChoice:
    """What of an incident goes, to whom, how, and until when."""

    recipients: tuple[str, ...] = ()  # slugs of parties
    outside: str = ""
    sections: frozenset[BundleSection] = frozenset(BundleSection)
    left_out: frozenset[int] = frozenset()  # positions of pieces of evidence that stay
    neighbours: int = NEIGHBOURS[1]
    level: Level = Level.REDACTED
    profile: str = "operations"
    keeps_hosts: bool = False  # names and addresses of the cluster's parts stay
    days: int = DAYS
    purpose: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnEvidence:
    """A weighed piece of evidence of the holder's."""

    cause: str
    side: str
    weight: float
    layer: str
    at: datetime | None
    statement: Mapping[str, Any]
    fact: Mapping[str, Any] | None
    is_claimed: bool
    line: tuple[int, int] | None  # place of its line: block and number


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLine:
    """A line of the holder's logs."""

    number: int
    at: datetime | None
    text: str
    is_cited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LineBlock:
    """Lines that follow each other in one log."""

    id: int
    stream: str
    host: str
    lines: tuple[OwnLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSession:
    """A session of the holder's that was hit."""

    name: str
    state: str
    started_at: datetime | None
    ended_at: datetime | None
    world_size: int | None
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnContents:
    """All that a holder has of an incident, and how much more there is that it may not give."""

    starts_at: datetime
    ends_at: datetime
    evidence: tuple[OwnEvidence, ...] = ()
    blocks: tuple[LineBlock, ...] = ()
    series: tuple[CapturedSeries, ...] = ()
    sessions: tuple[OwnSession, ...] = ()
    of_others: tuple[OwnEvidence, ...] = ()  # told of sessions that a recipient must not know of
    is_of_several: bool = False  # it goes to one of several tenants: no count tells of another
    withheld: Withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleSubject:
    """Which incident a bundle is of."""

    incident_public_id: str
    cluster_id: int
    is_simulated: bool
    parties: Mapping[str, int]  # slug → id of those that it may be sent to
    tenants: frozenset[str]  # slugs of those that don't know of each other


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleRoom:
    """How much an organization keeps of what it gave, and how much it may."""

    count: int
    size: int  # bytes
    most: int
    most_size: int

    def holds(self, size: int) -> bool:
        """Say whether there is room for one more of so many bytes."""
        return self.count < self.most and self.size + size <= self.most_size
