"""Explanations, with what speaks for and against them."""

from dataclasses import dataclass

from apps.web.display.layers import LayerMark
from apps.web.display.probability import Probability
from apps.web.incident.evidence_requests.page import AskStub


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceLine:
    """One weighed piece of evidence of the reader's own, or that another party shows."""

    weight: str
    text: str
    source: str = ""
    asks: tuple[AskStub, ...] = ()  # for what the level in force hides of it
    alike: str = ""  # how many more say the same and add nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedLogLine:
    """A line of the reader's own logs that a piece of evidence was read from."""

    source: str
    text: str  # empty: it is not kept any more
    is_cut: bool = False
    around: str = ""  # the query of the page that shows it among its neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldElsewhere:
    """What another party holds: how much and how heavy, never what it says."""

    name: str
    mark: str
    text: str
    layer: LayerMark
    weight: str
    slug: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingSource:
    """A source that would settle the question, and who holds it."""

    name: str
    would: str
    held_by: str
    is_ours: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisCard:
    """One explanation with everything for, against and missing."""

    layer: LayerMark
    claim: str
    slug: str
    answers: str
    probability: Probability
    supporting: tuple[EvidenceLine, ...] = ()
    supporting_held: tuple[HeldElsewhere, ...] = ()
    supporting_sum: str = ""
    opposing: tuple[EvidenceLine, ...] = ()
    opposing_held: tuple[HeldElsewhere, ...] = ()
    opposing_sum: str = ""
    missing: tuple[MissingSource, ...] = ()
    log_lines: tuple[CitedLogLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledOut:
    """An explanation that did not stand, and why."""

    layer: LayerMark
    claim: str
    probability: str
    because: str
    against: EvidenceLine | None = None  # the reader's own that weighs most
    against_held: tuple[HeldElsewhere, ...] = ()  # what others hold, where the reader holds nothing
