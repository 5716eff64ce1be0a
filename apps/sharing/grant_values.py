"""What decides whether something is shown: a grant, its reader's sessions and incident, a thing."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

from apps.sharing.request_rules import RequestRule
from apps.sharing.terms import ANY, SharingRule
from apps.tenancy.values import OrganizationName

BESIDE_SESSION: Final = timedelta(minutes=10)
BESIDE_INCIDENT: Final = timedelta(minutes=30)


@dataclass(frozen=True, kw_only=True)
class Grant:
    """What one organization shows another under a version of their agreement, and by requests."""

    agreement_id: int
    public_id: str
    version: int  # 0: none is in force, what is shown was asked for
    holder: OrganizationName
    reader_id: int
    rules: tuple[SharingRule, ...]
    is_proposed: bool = False  # nobody signed it yet: it shows nothing to its reader

    @cached_property
    def asked(self) -> tuple[RequestRule, ...]:
        """Return what was granted on request."""
        return tuple(rule for rule in self.rules if isinstance(rule, RequestRule))

    def speaks_of(self, family: str) -> bool:
        """Say whether any rule, agreed or asked for, is of a family such as metrics."""
        return any(rule.family == family for rule in self.rules)

    def parts_of(self, family: str) -> frozenset[str] | None:
        """Return the layers or logs of a family that rules name; None: all of them."""
        named = frozenset(rule.part for rule in self.rules if rule.family == family)
        return None if ANY in named else named

    def may_show(self, *classes: str) -> bool:
        """Say whether the agreement speaks of a class, or anything was asked for: what a log that
        was asked for tells is of other classes than its own.
        """
        return bool(self.asked) or any(self.agreed(each) for each in classes)

    def agreed(self, data: str) -> tuple[SharingRule, ...]:
        """Return what the agreement says of a class such as metrics:gpu."""
        if data not in self._agreed:
            self._agreed[data] = tuple(
                rule
                for rule in self.rules
                if not isinstance(rule, RequestRule) and rule.covers(data)
            )
        return self._agreed[data]

    @cached_property
    def _agreed(self) -> dict[str, tuple[SharingRule, ...]]:
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSpan:
    """Hosts of an attempt of one of the reader's own sessions, and when it ran."""

    attempt_id: int
    hosts: frozenset[str]
    starts_at: datetime | None  # None: not told
    ends_at: datetime | None  # None: it runs, or nobody told

    def covers(self, *, host: str, at: datetime | None) -> bool:
        """Say whether something happened to it; without a host, to something it stands on."""
        if host and host not in self.hosts:
            return False
        if at is None:
            return True
        after = self.starts_at is None or at >= self.starts_at - BESIDE_SESSION
        before = self.ends_at is None or at <= self.ends_at + BESIDE_SESSION
        return after and before


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentPlace:
    """Where and when an incident was, as the rules of its parties ask."""

    starts_at: datetime
    ends_at: datetime
    layer: str

    def is_around(self, at: datetime | None) -> bool:
        """Say whether a time lies beside it; a line without a time lies where it is cited."""
        around = self.around
        return at is None or around[0] <= at <= around[1]

    @property
    def around(self) -> tuple[datetime, datetime]:
        """Return what counts as beside it."""
        return self.starts_at - BESIDE_INCIDENT, self.ends_at + BESIDE_INCIDENT


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderPlace:
    """What of the reader decides whether a rule holds."""

    layers: frozenset[str]  # that it answers for
    sessions: tuple[SessionSpan, ...] = ()  # its own
    incident: IncidentPlace | None = None  # that both sides are parties of


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedThing:
    """One thing that a holder has: what it is, where and when."""

    data: str  # events:gpu, metrics:storage, logs:kernel …
    host: str = ""
    at: datetime | None = None
    attempt_id: int | None = None  # whose story it was told for, where that is known
    stream: str = ""  # the log that tells it, where that is known
    lasts: tuple[datetime, datetime] | None = None  # of what is drawn over a while
    seen_on: frozenset[str] = frozenset()  # hosts that show it, of a part that they share
    more: frozenset[str] = field(default_factory=frozenset)  # further classes that must be shown
