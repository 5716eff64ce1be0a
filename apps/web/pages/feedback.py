"""What is asked about a verdict, and what the parties said."""

from dataclasses import dataclass

from apps.web.pages.basics import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class OpinionRow:
    """What one party says of the verdict."""

    name: str
    mark: str
    person: str
    is_reader: bool
    is_right: bool
    text: str  # right, or what it really was
    at: Instant
    is_of_earlier: bool  # the verdict has another layer or cause by now


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseChoice:
    """One thing that it may really have been."""

    value: str  # <layer>/<cause>
    text: str
    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerChoices:
    """What it may really have been in one layer."""

    name: str
    causes: tuple[CauseChoice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackCard:
    """What is asked about a verdict, and what the parties said."""

    revision: int
    rows: tuple[OpinionRow, ...]
    layers: tuple[LayerChoices, ...]
    says_right: bool
    says_wrong: bool
    note: str  # the words that the reader's organization added
    readers: frozenset[str]  # slugs of who reads them
