"""The page of one session."""

from dataclasses import dataclass

from apps.web.display.layers import LayerMark
from apps.web.incidents.page import IncidentRow
from apps.web.session.lifecycle.page import LifecyclePanel
from apps.web.session.recovery.page import RecoveryPanel
from apps.web.session.retries.page import RetriesPanel
from apps.web.session.run_page import RunPanel
from apps.web.session.time_uses import TimeUses
from apps.web.stragglers.page import StragglerPanel


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
    is_degraded: bool = False  # it runs on without some of its GPUs
    is_undiagnosed: bool = False  # its diagnosis fails
    doubted: str = ""  # when an exception was printed that may have been caught


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCell:
    """One GPU of one node in the matrix of an attempt."""

    x: float
    y: float
    state: str  # ran first suspect lost (blamed, no rank reported) unplaced
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankMatrix:
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
class StreamFold:
    """Logs of one kind under a fold; without a name they stand open."""

    key: str
    name: str
    amount: str
    covers: str
    rows: tuple[StreamRow, ...]


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
    lifecycle: LifecyclePanel | None  # states, as lanes over all attempts
    run: RunPanel | None  # steps, saves and loads of the attempt that is shown
    retries: RetriesPanel | None
    recovery: RecoveryPanel | None  # of an attempt whose job tells of recovering in place
    time_uses: TimeUses | None
    matrix: RankMatrix | None
    streams: tuple[StreamFold, ...]
    stream_count: int
    facts: tuple[tuple[str, str], ...]
    cluster_slug: str = ""
    nodes: tuple[str, ...] = ()  # of the attempt that is shown, some of them; each has a page
    stragglers: StragglerPanel | None = None
    hosts_note: str = ""  # what is missing while its hosts are only claimed
