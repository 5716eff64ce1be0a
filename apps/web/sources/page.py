"""What flows in."""

from dataclasses import dataclass

from apps.web.tokens.page import Command, NewToken, TokenForm, TokenRow


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
    cluster: str = ""  # of pushed logs; empty for those sent ad hoc


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFold:
    """The kinds of log of one cluster, folded; its state is the worst of them."""

    key: str  # in the address
    name: str
    amount: str
    state: str  # fresh stale waiting
    state_text: str
    rows: tuple[SourceRow, ...]
    is_open: bool


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
class MeasuredRow:
    """What another party measures of layers that the reader answers for, or may measure."""

    text: str
    cluster: str
    cluster_name: str
    holder: str
    agreement: str  # under which it is shown; empty: one may be proposed
    is_shown: bool
    layers: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalCount:
    """What came in since the page was opened, or before; without words for it, it still waits."""

    since: str
    text: str = ""
    batch: str = ""  # empty: nothing came since
    state: str = "fresh"  # fresh stale


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
    arrived: ArrivalCount
    tokens: tuple[TokenRow, ...] = ()
    form: TokenForm | None = None
    made: NewToken | None = None
    told: tuple[MetricsTold, ...] = ()  # one per cluster of which metrics were read
    unread: tuple[UnreadBody, ...] = ()
    elsewhere: tuple[MeasuredRow, ...] = ()  # by other parties, where nothing is measured here
    folds: tuple[SourceFold, ...] = ()  # of pushes, where they are many
