"""The list of sessions."""

from dataclasses import dataclass

from apps.web.display.choices import SegmentLink
from apps.web.display.layers import LayerMark
from apps.web.lists.page import ListControls


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """One session in a list."""

    public_id: str
    name: str
    cluster: str
    state: str
    state_word: str
    size: str
    when: str
    is_sized: bool = False  # the size is known in numbers
    incident: str = ""
    incident_title: str = ""
    layer: LayerMark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsPage:
    """The sessions that the reader may see."""

    rows: tuple[SessionRow, ...]
    layers: tuple[SegmentLink, ...]
    controls: ListControls
    next_query: str
    is_hidden: bool = False  # a vendor is told of none
