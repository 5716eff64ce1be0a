"""Values of what pages show of stragglers."""

from dataclasses import dataclass

from apps.web.display.choices import SegmentLink


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowRow:
    """A node or GPU that is slower than its peers."""

    place: str
    told_by: str
    since: str
    state: str
    warning: str  # its id; empty: not the reader's own


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCard:
    """What one step trace says."""

    public_id: str
    attempt: int
    added: str
    by: str
    form: str
    verdict: str
    advice: str
    prior: str
    figures: tuple[tuple[str, str], ...]
    workers: tuple[tuple[str, str], ...]  # the slowest: which, S_w
    is_refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StragglerPanel:
    """Stragglers of one session."""

    attempt: int
    slow: tuple[SlowRow, ...]
    traces: tuple[TraceCard, ...]
    more_count: int
    session: str
    can_add: bool
    is_hidden: bool  # what others show could not be written down


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetFigures:
    """Stragglers over some jobs."""

    name: str
    jobs: str
    straggling: str
    interval: str
    hours: str
    wasted: str
    causes: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    """One attempt with a trace."""

    session: str
    name: str
    when: str
    slowdown: str
    cause: str
    hours: str
    wasted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StragglersPage:
    """Stragglers over all sessions with a trace."""

    spans: tuple[SegmentLink, ...]
    whole: FleetFigures
    percentiles: tuple[tuple[str, str], ...]
    months: tuple[FleetFigures, ...]
    jobs: tuple[JobLine, ...]
    job_count: int
    untraced: str
    is_simulated: bool
    is_hidden: bool = False  # a vendor is told of no sessions
