"""The list of incidents."""

from dataclasses import dataclass
from datetime import datetime

from apps.web.display.choices import SegmentLink
from apps.web.display.layers import LayerMark
from apps.web.display.probability import Probability
from apps.web.lists.page import ListControls


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentRow:
    """One incident in a list."""

    public_id: str
    title: str
    when: str  # it broke; where that is not known, when it was noticed
    noticed: str  # empty unless that was much later
    layer: LayerMark
    probability: Probability | None
    ball: str
    ball_since: str
    is_with_reader: bool
    coverage: str
    state: str
    restart: str
    started_at: datetime | None = None
    repeats: str = ""  # how many stops the line stands for, in words
    unread_count: int = 0  # annotations that the reader has not seen


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentsPage:
    """The list of incidents, by state and layer."""

    rows: tuple[IncidentRow, ...]
    states: tuple[SegmentLink, ...]
    layers: tuple[SegmentLink, ...]
    hands: tuple[SegmentLink, ...]
    controls: ListControls
    next_query: str
    is_filtered: bool
    is_cut: bool = False  # more are open than were looked at for whose turn it is
