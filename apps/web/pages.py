"""What each page shows: frozen values prepared by its view, so that templates only place them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.web.first import Order
from apps.web.lanes import Drawing


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One of the organizations that a person may switch to."""

    slug: str
    name: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """The frame around every page: where one is, as whom, at what time."""

    organization: Place
    others: tuple[Place, ...]
    section: str  # home incidents sessions sources upload settings
    now: datetime
    local_clock: str  # empty until the browser told its zone
    is_simulated: bool
    can_write: bool
    person: str
    theme: str = ""  # empty follows the system
    on_hold: str = ""  # since when and why nobody is written to


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
    """How sure, against the gate that `likely` has to pass. Positions in percent."""

    text: str
    word: str
    value: float
    gate: float = 80.0
    floor: float = 50.0

    @property
    def tick(self) -> float:
        """Return where the mark of the value begins."""
        return round(min(max(self.value - 0.7, 0.0), 98.6), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageCell:
    """One kind of source: there, stale, hidden by policy or absent."""

    state: str
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageLine:
    """One line of the legend: how many sources are in a state, and which."""

    state: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageStrip:
    """All sources of an incident, side by side."""

    cells: tuple[CoverageCell, ...]
    lines: tuple[CoverageLine, ...]
    present_count: int

    @property
    def count(self) -> int:
        """Return how many sources could have spoken."""
        return len(self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictStrip:
    """Layer, cause, culprit, probability and coverage in one row."""

    layer: LayerMark
    phase: str
    cause: str
    cause_slug: str
    culprit: str
    culprit_detail: str
    probability: Probability
    coverage: CoverageStrip
    stopped_since: str = ""
    stopped_note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceLine:
    """One weighed piece of evidence of the reader's own organization."""

    weight: str
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What another party holds: how much and how heavy, never what it says."""

    name: str
    mark: str
    text: str
    layer: LayerMark
    weight: str


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
    supporting_held: tuple[Held, ...] = ()
    supporting_sum: str = ""
    opposing: tuple[EvidenceLine, ...] = ()
    opposing_held: tuple[Held, ...] = ()
    opposing_sum: str = ""
    missing: tuple[MissingSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledOut:
    """An explanation that did not stand, and why."""

    layer: LayerMark
    claim: str
    probability: str
    because: str


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
class Choice:
    """One link of a segmented control; the state lives in the address."""

    text: str
    query: str
    is_on: bool


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


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentPage:
    """The incident as one party reads it."""

    public_id: str
    title: str
    lead: str
    restart: str
    status: str
    status_note: str
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

    @property
    def has_more(self) -> bool:
        """Say whether the list leaves entries out."""
        return self.story_count > sum(1 for entry in self.story if not entry.is_gap)

    warned: tuple["WarningRow", ...] = ()  # before it broke, by the reader's own metrics
    captures: tuple[str, ...] = ()  # metrics that are still awaited, or that could not be read
    feedback: FeedbackCard | None = None  # what the parties say of the verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentRow:
    """One incident in a list."""

    public_id: str
    title: str
    when: str
    layer: LayerMark
    probability: Probability | None
    ball: str
    ball_since: str
    is_with_reader: bool
    coverage: str
    state: str
    restart: str
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentsPage:
    """The list of incidents, by state and layer."""

    rows: tuple[IncidentRow, ...]
    states: tuple[Choice, ...]
    layers: tuple[Choice, ...]
    next_query: str
    is_filtered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one family of metrics says in a warning."""

    family: str
    text: str
    numbers: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningRow:
    """One episode of the reader's metrics."""

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
    findings: tuple[Finding, ...]
    more_count: int
    incident: str = ""
    incident_title: str = ""
    lead: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningsPage:
    """Episodes: warnings, or signals of one family."""

    rows: tuple[WarningRow, ...]
    kinds: tuple[Choice, ...]
    layers: tuple[Choice, ...]
    next_query: str
    is_filtered: bool
    is_signals: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """One source and how fresh it is. Waiting, stale and fresh are three different things."""

    name: str
    kind: str
    state: str  # fresh stale waiting
    state_text: str
    amount: str
    note: str = ""
    public_id: str = ""  # of one that has a page
    buckets: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthLane:
    """Twenty-four hours of one layer in quarter hours."""

    layer: LayerMark
    y: float
    bars: tuple["HealthBar", ...]

    @property
    def text_y(self) -> float:
        """Return the baseline of the lane's name."""
        return self.y + 17

    @property
    def glyph_y(self) -> float:
        """Return the upper edge of the lane's mark."""
        return self.y + 7


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthBar:
    """Incidents that broke in one stretch of time."""

    x: float
    y: float
    height: float
    count: int
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The last day by layer."""

    lanes: tuple[HealthLane, ...]
    ticks: tuple[tuple[float, str], ...]
    height: int

    @property
    def tick_y(self) -> int:
        """Return the baseline of the clock."""
        return self.height + 16

    @property
    def box_height(self) -> int:
        """Return the height of the drawing."""
        return self.height + 20


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekNumber:
    """A number with its n and interval."""

    name: str
    value: str
    unit: str
    interval: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    """What waits for the reader, then the state of things."""

    title: str
    lead: str
    rows: tuple[IncidentRow, ...]
    open_count: int
    mine_count: int
    health: Health | None
    sources: tuple[SourceRow, ...]
    sessions: tuple["SessionRow", ...]
    numbers: tuple[WeekNumber, ...]


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
    incident: str = ""
    incident_title: str = ""
    layer: LayerMark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsPage:
    """The sessions that the reader may see."""

    rows: tuple[SessionRow, ...]
    next_query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptBlock:
    """One start of a session in the retry chain. Positions for the drawing."""

    number: int
    length: str
    state: str
    state_word: str
    when: str
    left_out: tuple[str, ...]
    added: tuple[str, ...]
    has_former: bool
    weight: int  # relative width, 1 to 4
    incident: str = ""
    ending: str = ""
    layer: LayerMark | None = None
    is_running: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCell:
    """One GPU of one node in the matrix of an attempt."""

    x: float
    y: float
    state: str  # ran first suspect unplaced
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Nodes across, GPUs down."""

    cells: tuple[RankCell, ...]
    columns: tuple[tuple[float, str], ...]
    rows: tuple[tuple[float, str], ...]
    height: float
    cell: float
    layer: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRow:
    """One log that the reader's organization holds of the session."""

    name: str
    kind: str
    lines: str
    covers: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage:
    """A session: its attempts, its ranks, its logs."""

    name: str
    public_id: str
    title: str
    lead: str
    cluster: str
    is_ad_hoc: bool
    attempts: tuple[AttemptBlock, ...]
    incidents: tuple[IncidentRow, ...]
    matrix: Matrix | None
    streams: tuple[StreamRow, ...]
    stream_count: int
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow:
    """A token in the list of those who manage them; of its text only the beginning."""

    name: str
    prefix: str
    may: str
    where: str
    made: str
    used: str
    ends: str
    state: str  # fresh waiting failed
    is_alive: bool
    ends_soon: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenChoice:
    """One box of the form that makes a token."""

    value: str
    name: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A token that was just made. Its clear text exists on this one page."""

    name: str
    clear_text: str
    may_send: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenForm:
    """The form that makes a token, as it is filled in."""

    scopes: tuple[TokenChoice, ...]
    clusters: tuple[TokenChoice, ...]
    days: tuple[TokenChoice, ...]
    name: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A line to copy, and when it is the right one."""

    name: str
    text: str
    when: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRow:
    """What metrics should tell of one thing, and by name what of it is not measured."""

    name: str
    state: str  # measured partly absent unsupported
    state_text: str
    without: str  # what cannot be told
    gaps: tuple[tuple[str, str], ...] = ()  # what is missing, and what would give it


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsTold:
    """What the metrics of a source or a cluster can tell. Absent is never zero and never green."""

    of: str  # a cluster; empty for the source whose page it is
    age: str
    name_count: str
    subjects: tuple[SubjectRow, ...]
    lacking: tuple[str, ...] = ()  # what some hosts lack and most have

    @property
    def open(self) -> tuple[SubjectRow, ...]:
        """The subjects with gaps."""
        return tuple(row for row in self.subjects if row.state != "measured")

    @property
    def measured(self) -> tuple[SubjectRow, ...]:
        """The subjects without gaps."""
        return tuple(row for row in self.subjects if row.state == "measured")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesPage:
    """What flows in, and how to add to it."""

    pushes: tuple[SourceRow, ...]
    pulls: tuple[SourceRow, ...]
    commands: tuple[Command, ...]
    can_manage: bool
    admins: str
    clusters: tuple[str, ...]
    arrived: "Arrived"
    tokens: tuple[TokenRow, ...] = ()
    form: TokenForm | None = None
    made: NewToken | None = None
    told: tuple[MetricsTold, ...] = ()  # one per cluster of which metrics were read


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """Whether a metrics source answers, in words."""

    state: str  # waiting fresh stale off
    text: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFields:
    """The form of a metrics source, as it is filled in. The secret never comes back."""

    name: str = ""
    url: str = ""
    auth: str = "none"
    cluster: str = ""
    verify_tls: bool = True
    ca_pem: str = ""
    allowed_networks: str = ""  # one per line
    label_map: str = ""  # one label=meaning per line
    zone: str = ""
    is_enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage:
    """A metrics source: how it answers, and the form that an admin changes it with."""

    title: str
    fields: SourceFields
    clusters: tuple[str, ...]
    can_manage: bool
    admins: str
    public_id: str = ""  # empty for one that is to be added
    cluster: str = ""
    state: SourceState | None = None
    has_secret: bool = False
    problems: Mapping[str, str] = field(default_factory=dict)
    told: MetricsTold | None = None  # None: it was never read
    is_pushed: bool = False  # it is sent what it has; its address is where that goes on to
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """What came in since the page was opened; without words for it, it still waits."""

    since: str
    text: str = ""
    batch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What became of one dropped file set."""

    kept: str = ""  # a sentence
    duplicates: str = ""
    rejected: tuple[str, ...] = ()
    batch: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadProgress:
    """Where reading of a batch stands, and where it led."""

    batch: str
    state: str  # reading found quiet failed
    text: str
    kept: str  # a sentence
    incident: str = ""
    session: str = ""
    session_name: str = ""
    is_done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadPage:
    """The page to drop files on."""

    clusters: tuple[str, ...]
    limit: str
    result: FileResult | None = None
