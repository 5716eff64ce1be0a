"""What a reader gets of an incident: frozen values, without a row behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from apps.diagnosis.model import EndState, Statement
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.shared_values import SharedAs, SharedLine, SharedSession
from apps.telemetry.logs.raw_lines import RawLine
from apps.tenancy.values import OrganizationName


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePiece:
    """A weighed piece of evidence that the reader's organization holds, or is shown by another."""

    id: int
    cause: str  # "<layer>/<cause>" of the hypothesis it speaks to
    position: int
    side: str
    weight: float
    layer: str
    statement: Mapping[str, Any]  # what it tells
    source: str
    line: int | None
    at: datetime | None
    reference: str
    is_claimed: bool
    fact: Mapping[str, Any] | None  # what its line or measurement says in typed values
    shared: SharedAs | None = None  # None: the reader's own
    shared_line: SharedLine | None = None  # of what is shared, as far as its text is
    hidden_line: str = ""  # class of the log whose line the level in force hides: logs:kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldEvidence:
    """What another party holds: its layer and weight, never its words."""

    organization: OrganizationName
    side: str
    layer: str
    count: int
    weight: float
    is_claimed: bool = False  # its holder does not run what it tells of


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisView:
    """A hypothesis with the reader's own evidence and counts of what others hold."""

    layer: str
    cause: str
    probability: float
    cause_probability: float
    culprits: Sequence[Mapping[str, Any]] | None  # None: hidden by policy
    supporting: tuple[EvidencePiece, ...]
    opposing: tuple[EvidencePiece, ...]
    held: tuple[HeldEvidence, ...]
    missing: Sequence[Mapping[str, Any]]  # {"source","hosts","held_by","would","holders"}
    ruled_out: Statement | None  # why it does not stand, as all parties read it


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineMoment:
    """A moment of the story that the reader may read."""

    id: int
    organization_id: int  # whose it is
    lane: str
    kind: str
    role: str
    at: datetime | None
    ends_at: datetime | None
    clock_error_seconds: float | None
    statement: Mapping[str, Any]  # what is told
    detail: Mapping[str, Any]
    for_all_parties: bool
    revision: int
    created_at: datetime
    shared: SharedAs | None = None  # None: the reader's own, or every party's


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationVersion:
    """What a person wrote, in one of its versions."""

    id: int  # of the version
    public_id: str
    version: int
    organization: OrganizationName
    author_name: str
    text: str
    lane: str
    starts_at: datetime | None
    ends_at: datetime | None
    answers: str  # the public id of what it is a reply to; empty: of nothing
    mentioned_parties: tuple[int, ...]
    audience: tuple[int, ...]
    is_withdrawn: bool  # then without words; its author took it back
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyOpinion:
    """What a party says of a verdict, beside that verdict as it stood."""

    organization: OrganizationName
    author_name: str
    version: int
    judgement: str
    actual_layer: str
    actual_cause: str
    revision: int
    verdict_status: str
    layer: str
    cause: str
    probability: float
    cause_probability: float
    edition: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingDiagnosis:
    """Since when the diagnosis of an incident's attempt fails, and how often it did."""

    since: datetime
    try_count: int | None  # None: of another organization's session


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentView:
    """Everything of an incident that one organization may read."""

    header: IncidentHeader
    hypotheses: tuple[HypothesisView, ...]
    timeline: tuple[TimelineMoment, ...]
    annotations: tuple[AnnotationVersion, ...]
    present: frozenset[int]  # who takes part in the cluster now: whom a note can be written for
    failing: FailingDiagnosis | None = None  # what is shown may be missing or old
    is_shared_with: bool = False  # other parties show the reader something of it
    shown_by: tuple[str, ...] = ()  # agreements and requests by which they do
    sessions: tuple[SharedSession, ...] = ()  # that others show a reader who sees none


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """That nothing broke of a session, and how it ended all the same."""

    state: EndState
    at: datetime | None = None
    user: str = ""  # who cancelled it, by the number that a log has


@dataclass(frozen=True, slots=True, kw_only=True)
class LineContext:
    """A cited line among its neighbours, in the order of its log."""

    stream: str
    host: str
    number: int
    lines: tuple[RawLine, ...]  # empty: not kept any more
    cited: frozenset[int]  # numbers of those that explanations rest on
    stream_id: int  # of the reader's own log


class LookFirst(Protocol):
    """Is told the header of an incident before the rest is read; what it raises ends that."""

    def __call__(self, *, header: IncidentHeader, shown: tuple[str, ...]) -> None:
        """Look at it, and at by what others show something of it now."""
