"""Requests for evidence as pages show them."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from apps.web.display.instants import Instant
from apps.web.display.organizations import PartyLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOption:
    """One option of a form."""

    value: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """What the holder stated, and how that can be checked."""

    id: str
    is_good: bool
    statements: tuple[str, ...]
    mark: str  # who signed it, with which key
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRow:
    """One request with what the reader may do about it."""

    id: str
    incident: str
    headline: str
    terms: str  # how much, of which window and host
    reason: str
    who: str
    at: Instant
    state: str
    is_waiting: bool
    waits_for_reader: bool
    outcome: str  # what was granted, or why not; empty: nothing yet
    answer: AnswerRow | None  # in place of the data
    may_answer: bool
    is_answerable: bool  # there is a rule for what is asked
    may_decline: bool
    may_take_back: bool
    may_revoke: bool
    levels: tuple[RequestOption, ...]  # that can be granted
    starts_at: str  # as fields of a form take them
    ends_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskForm:
    """What can be asked of whom, and what was chosen already."""

    holders: tuple[PartyLabel, ...]
    classes: SafeString  # as options
    levels: tuple[RequestOption, ...]
    hosts: tuple[str, ...]
    holder: str = ""
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskStub:
    """What a party might show if it was asked, by what it runs, never by what it has."""

    holder: str  # slug
    data: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsCard:
    """What is asked around an incident, and the form that asks."""

    rows: tuple[RequestRow, ...] = ()
    waiting: str = ""  # what waits for the reader, in a sentence
    form: AskForm | None = None
    stubs: tuple[AskStub, ...] = ()  # beside the charts
