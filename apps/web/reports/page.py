"""Values of the pages of reports."""

from dataclasses import dataclass

from apps.reliability.reports.forms.layout import ReportText
from apps.reliability.reports.forms.signature_text import SignatureText
from apps.web.display.choices import SegmentLink


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One report in the list."""

    public_id: str
    revision: int
    of: str  # the organization or the cluster
    audience: str
    days: str
    issued_at: str
    issuer: str
    signed: str  # how many parties settled on it
    is_simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterChoice:
    """A cluster that reports can be of."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipientChoice:
    """A member who may be told of a report."""

    value: str
    name: str
    is_reachable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRow:
    """A report that is issued by itself."""

    public_id: str
    name: str
    recipients: str
    next_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportsPage:
    """All reports of an organization, and the forms."""

    rows: tuple[ReportRow, ...]
    clusters: tuple[ClusterChoice, ...]
    ranges: tuple[SegmentLink, ...]
    audience: str  # what the form offers first, as the next three
    cluster: str
    first_day: str
    last_day: str
    schedules: tuple[ScheduleRow, ...]
    recipients: tuple[RecipientChoice, ...]
    may_issue: bool
    may_manage: bool
    sends_mail: bool
    next_query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFileLink:
    """A file that a report can be had as."""

    label: str
    address: str
    is_lacking: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPage:
    """One revision of a report."""

    public_id: str
    revision: int
    newest_revision: int
    title: str
    told: ReportText
    digest: str
    issued_at: str
    issuer: str
    files: tuple[ReportFileLink, ...]
    csv_address: str  # takes ?table=
    revisions: tuple[SegmentLink, ...]
    moved: tuple[str, ...] | None  # since it was issued; None: nobody asked
    may_issue: bool
    signatures: tuple[SignatureText, ...]
    may_sign: bool
    is_intact: bool
    is_joint: bool
    reason: str = ""  # what was typed and not taken
    is_reason_wrong: bool = False

    @property
    def audience(self) -> str:
        """Return what it counts."""
        return self.told.audience

    @property
    def is_newest(self) -> bool:
        """Say whether nothing was issued of these days since."""
        return self.revision == self.newest_revision
