"""What leaves this app of reports: frozen values, without a row behind them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from apps.fleet.values import ClusterName
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.counting.changes import Change
from apps.tenancy.values import OrganizationName


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureCount:
    """How many of those who have a revision signed it."""

    parties: int
    settled: int
    dissenting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartySignature:
    """What a party says of a revision: the last that it said."""

    party: OrganizationName | None  # None: a tenant whom the reader is not told of
    stance: str  # ReportStance
    reason: str  # empty: settled, or of another tenant
    digest: str
    signer_name: str  # empty: of another organization
    signed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportHead:
    """What a list says of a report: its newest revision."""

    public_id: str
    revision: int
    audience: Audience
    cluster: ClusterName | None
    starts_at: datetime
    ends_at: datetime
    digest: str
    issuer: OrganizationName | None  # None: a tenant whom the reader is not told of
    issuer_name: str  # empty: of another organization
    issued_at: datetime
    is_simulated: bool
    signatures: SignatureCount

    @property
    def first_day(self) -> date:
        """Return the first day that is in it."""
        return self.starts_at.date()

    @property
    def last_day(self) -> date:
        """Return the last day that is in it."""
        return (self.ends_at - timedelta(microseconds=1)).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportView:
    """One revision of a report as it was issued."""

    head: ReportHead
    document: Mapping[str, Any]
    changes: tuple[Change, ...]  # against the revision before
    newest_revision: int
    signatures: tuple[PartySignature, ...]
    unsigned: tuple[OrganizationName, ...]  # of those whom the reader may know by name
    is_intact: bool  # the document still has the digest it was issued with
    may_sign: bool

    @property
    def is_newest(self) -> bool:
        """Say whether nothing was issued of this range since."""
        return self.head.revision == self.newest_revision


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleRecipient:
    """A member who can be written to, or why not."""

    id: int
    name: str
    is_reachable: bool
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleView:
    """That a report is issued by itself."""

    public_id: str
    audience: Audience
    cluster: ClusterName | None
    rhythm: str
    recipients: tuple[str, ...]  # names of members
    recipient_ids: tuple[int, ...]
    to_webhook: bool
    next_at: datetime
