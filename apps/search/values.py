"""What is asked of the search, and what it answers: frozen values."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


class HitKind(StrEnum):
    """What was found, in the order in which groups are shown."""

    INCIDENT = "incident"
    SESSION = "session"
    NODE = "node"
    GPU = "gpu"
    CAUSE = "cause"
    WARNING = "warning"
    ANNOTATION = "annotation"
    REPORT = "report"
    LINE = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A search as it was understood."""

    text: str  # what is looked for; empty beside an Xid
    kinds: frozenset[HitKind]
    prefix: str = ""  # that narrowed it: host, session, xid, cause …
    xid: int | None = None
    problem: str = ""  # a QueryProblem; empty: it can be answered
    meant: str = ""  # the prefix that was probably meant


class QueryProblem(StrEnum):
    """Why a search can't be answered."""

    EMPTY = "empty"
    SHORT = "short"
    LONG = "long"
    BAD_XID = "bad-xid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing that was found. What does not apply is empty."""

    kind: HitKind
    id: str  # its public id, name or reference
    title: str  # in the reader's language
    detail: str = ""  # where the text was met, if not in the title
    cluster: str = ""  # a slug
    cluster_name: str = ""
    host: str = ""
    incident: str = ""  # that it stands in
    session: str = ""
    layer: str = ""
    at: datetime | None = None
    is_of_signals: bool = False  # of a warning: it stands in the list of signals


@dataclass(frozen=True, slots=True, kw_only=True)
class HitGroup:
    """What was found of one kind, the best or newest first."""

    kind: HitKind
    hits: tuple[Hit, ...]
    has_more: bool  # than are here


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCoverage:
    """How far the search went through log lines."""

    line_count: int
    is_whole: bool
    reached: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The answer to a search: groups that have something, in order."""

    query: SearchQuery
    groups: tuple[HitGroup, ...]
    lines: LineCoverage | None  # None: log lines were not looked through
