"""Small values that several pages show."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Instant:
    """A time as text, with the machine's form beside it."""

    at: datetime
    text: str
    local: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerMark:
    """A layer: its glyph, its colour, its name."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """An organization of an incident."""

    slug: str
    name: str
    mark: str
    part: str
    is_reader: bool = False
    acts: bool = False
    took_note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probability:
    """How sure, against the gate that `likely` has to pass, if any. Positions in percent."""

    text: str
    word: str
    value: float
    gate: float = 0.0

    @property
    def tick(self) -> float:
        """Return where the mark of the value begins."""
        return round(min(max(self.value - 0.7, 0.0), 98.6), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One link of a segmented control; the state lives in the address."""

    text: str
    query: str
    is_on: bool
