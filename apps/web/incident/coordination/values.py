"""What the page of an incident shows of the work on it, and what the reader may do."""

from dataclasses import dataclass

from apps.web.display.instants import Instant
from apps.web.display.organizations import PartyLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of the reasons that a form offers."""

    value: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBar:
    """How long an incident was in a party's hands, as a piece of the bar."""

    x: float  # of 100
    width: float
    hint: str
    shade: str  # own, other or third: of three parties no two look alike


@dataclass(frozen=True, slots=True, kw_only=True)
class HandTotal:
    """How long one party had it altogether."""

    name: str
    length: str
    shade: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkStepRow:
    """One step in a sentence, with the words that the reader may read."""

    text: str
    at: Instant
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOverRow:
    """A hand-over, and what the reader may do about it."""

    id: str
    headline: str
    due: str
    is_overdue: bool
    is_open: bool
    is_side: bool
    other: str  # the other side's name
    own_ticket: str
    other_ticket: str
    steps: tuple[WorkStepRow, ...]
    may_accept: bool = False
    may_ask: bool = False
    may_answer: bool = False
    may_withdraw: bool = False
    may_return: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRow:
    """A proposal to resolve that waits, and what the reader may do about it."""

    id: str
    text: str
    at: Instant
    words: str
    may_answer: bool
    may_withdraw: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CoordinationCard:
    """Everything of the work on an incident, as one party reads it."""

    line: str  # In Aurora's hands for 2 h 10 min; why it was resolved
    words: str  # of who resolved it
    due: str
    is_overdue: bool
    bars: tuple[HandBar, ...]
    totals: tuple[HandTotal, ...]
    asked: str  # what others ask of the reader and wait for; empty: nothing
    current: HandOverRow | None
    former: tuple[HandOverRow, ...]
    proposals: tuple[ProposalRow, ...]
    recipients: tuple[PartyLabel, ...]  # to whom the reader may hand over; none: it may not
    hand_over_reasons: tuple[Choice, ...]
    refusal_reasons: tuple[Choice, ...]
    resolve_reasons: tuple[Choice, ...]
    reopen_reasons: tuple[Choice, ...]
    action_reasons: tuple[Choice, ...]
    readers: str  # who reads the words of who resolves
    may_resolve: bool
    may_propose: bool
    may_reopen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingLine:
    """Where the verdict stands with the parties, in words."""

    text: str
    note: str
    dissent: tuple[str, ...]
    is_contested: bool
    may_reply: bool  # the reader answers for the blamed layer
    is_awaited: bool  # and has not replied yet
