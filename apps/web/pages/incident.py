"""The page of one incident."""

from dataclasses import dataclass, field
from typing import Any

from apps.web.event_order import Order
from apps.web.lanes.parts import Drawing
from apps.web.pages.basics import Choice, Instant, Party
from apps.web.pages.feedback import FeedbackCard
from apps.web.pages.hypotheses import HypothesisCard, RuledOut
from apps.web.pages.verdict import VerdictStrip
from apps.web.pages.warnings import WarningRow


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEntry:
    """One line of the story in order; a gap is silence, said in words."""

    key: str
    layer: str
    treatment: str
    title: str
    detail: str = ""
    owner: str = ""
    time: str = ""
    local: str = ""
    iso: str = ""
    is_untimed: bool = False
    is_gap: bool = False
    is_hidden: bool = False
    is_chief: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRow:
    """What to do, and who does it."""

    text: str
    who: str
    is_ours: bool
    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteVersion:
    """What a note said before it was edited."""

    text: str
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """What a person wrote, and who reads it."""

    public_id: str
    text: str
    author: str
    organization: str
    mark: str
    audience: str
    at: Instant
    concerns: str = ""
    earlier: tuple[NoteVersion, ...] = ()
    is_own: bool = False
    is_withdrawn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One evidence chart: what it shows, its figure, its numbers in words."""

    key: str
    title: str
    unit: str
    owner: str
    layer: str
    suspect: str
    suspect_value: str
    peers_value: str
    note: str
    figure: dict[str, Any] = field(default_factory=dict)

    @property
    def script_id(self) -> str:
        """Return the id of the element that carries the figure."""
        return f"figure-{self.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentPage:
    """The incident as one party reads it."""

    public_id: str
    title: str
    lead: str
    restart: str
    status: str
    status_note: str
    failing: str  # that its diagnosis fails; empty where it does not
    is_open: bool
    is_settled: bool
    is_unknown: bool
    settles_at: Instant | None
    revision: int
    poll_query: str
    session_name: str
    session_id: str
    cluster: str
    broke_at: Instant | None
    ball: str
    ball_since: Instant | None
    parties: tuple[Party, ...]
    verdict: VerdictStrip
    drawing: Drawing | None
    groups: tuple[Choice, ...]
    spans: tuple[Choice, ...]
    order: Order | None
    story: tuple[StoryEntry, ...]
    story_count: int
    hypotheses: tuple[HypothesisCard, ...]
    ruled_out: tuple[RuledOut, ...]
    charts: tuple[Chart, ...]
    charts_note: str
    charts_empty: str
    actions: tuple[ActionRow, ...]
    notes: tuple[NoteRow, ...]
    audience: tuple[Party, ...]
    can_write: bool
    took_note: bool
    can_resolve: bool
    can_act_first: bool = False
    warned: tuple[WarningRow, ...] = ()  # before it broke, by the reader's own metrics
    captures: tuple[str, ...] = ()  # metrics that are still awaited, or that could not be read
    feedback: FeedbackCard | None = None  # what the parties say of the verdict

    @property
    def has_more(self) -> bool:
        """Say whether the list leaves entries out."""
        return self.story_count > sum(1 for entry in self.story if not entry.is_gap)
