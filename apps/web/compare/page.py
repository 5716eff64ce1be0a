"""Two incidents side by side."""

from dataclasses import dataclass

from apps.web.display.layers import LayerMark


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedIncident:
    """The head of one column."""

    public_id: str
    title: str
    layer: LayerMark


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """One question, answered of both; each answer has one line or several."""

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Say whether both answers are the same."""
        return self.first == self.second


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage:
    """Two incidents as one party reads them."""

    first: ComparedIncident
    second: ComparedIncident
    rows: tuple[ComparedRow, ...]
    note: str  # how far they lie apart, and on which part both are
    is_unrecorded: bool = False  # looks can't be written down: nothing of others is shown

    @property
    def heads(self) -> tuple[ComparedIncident, ComparedIncident]:
        """Return the heads of both columns."""
        return self.first, self.second
