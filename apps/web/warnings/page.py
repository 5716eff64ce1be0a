"""The list of warnings and signals."""

from dataclasses import dataclass

from apps.web.display.choices import SegmentLink
from apps.web.display.layers import LayerMark
from apps.web.display.probability import Probability
from apps.web.lists.page import ListControls


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyFinding:
    """What one family of metrics says in a warning."""

    family: str
    text: str
    numbers: str
    chart: str = ""  # query of its chart among the reader's own metrics; empty: it has none


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningRow:
    """One episode of metrics, the reader's or what another party shows of its own."""

    public_id: str
    title: str
    part: str
    cluster: str
    when: str
    length: str
    layer: LayerMark
    score: Probability
    is_fatal: bool
    state: str  # goes on, over, withdrawn
    findings: tuple[FamilyFinding, ...]
    more_count: int
    incident: str = ""
    incident_title: str = ""
    lead: str = ""
    cluster_slug: str = ""
    host: str = ""  # that has a page; empty: of several, or hidden
    shared: str = ""  # by whom it is shown, and how much of it; empty: the reader's own

    @property
    def holders_query(self) -> str:
        """The list that it stands in."""
        return "?of=others" if self.shared else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningsPage:
    """Episodes: warnings, or signals of one family."""

    rows: tuple[WarningRow, ...]
    kinds: tuple[SegmentLink, ...]
    holders: tuple[SegmentLink, ...]
    layers: tuple[SegmentLink, ...]
    controls: ListControls
    next_query: str
    is_filtered: bool
    is_signals: bool
    is_of_others: bool

    @property
    def json_name(self) -> str:
        """The name of the same list by REST."""
        return "shared-warnings" if self.is_of_others else "warnings"
