"""What flows in, and the page of one source."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.web.pages.tokens import Command, NewToken, TokenForm, TokenRow


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """One source and how fresh it is. Waiting, stale and fresh are three different things."""

    name: str
    kind: str
    state: str  # fresh stale waiting
    state_text: str
    amount: str
    note: str = ""
    public_id: str = ""  # of one that has a page
    buckets: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRow:
    """What metrics should tell of one thing, and by name what of it is not measured."""

    name: str
    state: str  # measured partly absent unsupported
    state_text: str
    without: str  # what cannot be told
    gaps: tuple[tuple[str, str], ...] = ()  # what is missing, and what would give it


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsTold:
    """What the metrics of a source or a cluster can tell. Absent is never zero and never green."""

    of: str  # a cluster; empty for the source whose page it is
    age: str
    name_count: str
    subjects: tuple[SubjectRow, ...]
    lacking: tuple[str, ...] = ()  # what some hosts lack and most have

    @property
    def open(self) -> tuple[SubjectRow, ...]:
        """The subjects with gaps."""
        return tuple(row for row in self.subjects if row.state != "measured")

    @property
    def measured(self) -> tuple[SubjectRow, ...]:
        """The subjects without gaps."""
        return tuple(row for row in self.subjects if row.state == "measured")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """What came in since the page was opened; without words for it, it still waits."""

    since: str
    text: str = ""
    batch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadBody:
    """A body of logs that was set aside, and why."""

    public_id: str
    amount: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesPage:
    """What flows in, and how to add to it."""

    pushes: tuple[SourceRow, ...]
    pulls: tuple[SourceRow, ...]
    commands: tuple[Command, ...]
    can_manage: bool
    admins: str
    clusters: tuple[str, ...]
    arrived: Arrived
    tokens: tuple[TokenRow, ...] = ()
    form: TokenForm | None = None
    made: NewToken | None = None
    told: tuple[MetricsTold, ...] = ()  # one per cluster of which metrics were read
    unread: tuple[UnreadBody, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """Whether a metrics source answers, in words."""

    state: str  # waiting fresh stale off
    text: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFields:
    """The form of a metrics source, as it is filled in. The secret never comes back."""

    name: str = ""
    url: str = ""
    auth: str = "none"
    cluster: str = ""
    verify_tls: bool = True
    ca_pem: str = ""
    allowed_networks: str = ""  # one per line
    label_map: str = ""  # one label=meaning per line
    zone: str = ""
    is_enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage:
    """A metrics source: how it answers, and the form that an admin changes it with."""

    title: str
    fields: SourceFields
    clusters: tuple[str, ...]
    can_manage: bool
    admins: str
    public_id: str = ""  # empty for one that is to be added
    cluster: str = ""
    state: SourceState | None = None
    has_secret: bool = False
    problems: Mapping[str, str] = field(default_factory=dict)
    told: MetricsTold | None = None  # None: it was never read
    is_pushed: bool = False  # it is sent what it has; its address is where that goes on to
    remarks: tuple[str, ...] = ()
