"""Values of the page of a cluster's storage path."""

from dataclasses import dataclass

from apps.web.display.choices import SegmentLink
from apps.web.display.shown_parties import ShownPartyRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStation:
    """One place on the way from a rank to the server, and who measures what of it."""

    name: str
    figures: tuple[tuple[str, str], ...]
    measured_by: str  # empty: nobody that the reader may read
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingCondition:
    """One condition of a reading: whether it holds, and the numbers."""

    text: str
    state: str  # holds fails unknown
    state_word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathReading:
    """One reading of a slow save or load."""

    name: str
    verdict: str
    is_met: bool
    conditions: tuple[ReadingCondition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRow:
    """A rate as a share of one denominator."""

    name: str
    share: str
    denominator: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageHostRow:
    """What one host had of a save or load."""

    host: str
    moved: str
    rate: str
    queue_share: str
    response: str
    is_queueing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseLink:
    """A save or load to look at."""

    text: str
    length: str
    moved: str
    queue_share: str
    query: str
    shown_by: str
    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPanel:
    """One save or load, station by station."""

    title: str
    caption: str
    session: str
    session_name: str
    stations: tuple[PathStation, ...]
    readings: tuple[PathReading, ...]
    shares: tuple[ShareRow, ...]
    hosts: tuple[StorageHostRow, ...]
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SumRow:
    """All saves, or all loads."""

    name: str
    count: str
    moved: str
    mean: str
    longest: str
    hours: str
    cost: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """One save or load of the ledger."""

    kind: str
    when: str
    session: str
    session_name: str
    step: str
    length: str
    moved: str
    hours: str
    cost: str
    told_by: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleRow:
    """One metric at different numbers of nodes."""

    name: str
    cells: tuple[str, ...]
    change: str
    verdict: str
    is_flagged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalePanel:
    """From how many nodes on a node gets less."""

    counts: tuple[int, ...]
    rows: tuple[ScaleRow, ...]
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One entry of what the storage path is rated at."""

    name: str
    value: str
    valid_from: str
    entered: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingForm:
    """What was typed, and what is wrong with it."""

    kinds: tuple[tuple[str, str], ...]
    kind: str = ""
    value: str = ""
    valid_from: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePage:
    """The storage path of a cluster."""

    cluster: str
    cluster_name: str
    is_simulated: bool
    span: str
    days: tuple[SegmentLink, ...]
    views: tuple[SegmentLink, ...]
    view: str
    phases: tuple[PhaseLink, ...]
    phase_count: int
    panel: PathPanel | None
    shares: tuple[tuple[str, tuple[ShareRow, ...]], ...]
    sums: tuple[SumRow, ...]
    ledger: tuple[LedgerLine, ...]
    ledger_count: int
    price: str
    scale: ScalePanel | None
    ratings: tuple[RatingRow, ...]
    form: RatingForm | None
    holders: tuple[ShownPartyRow, ...]
    csv_address: str
    json_address: str
