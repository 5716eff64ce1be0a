"""One observation under one symptom of one cause."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.diagnosis.model import Observation, Phase, Statement

# Parts that many hosts share: evidence of all of them is one story.
SHARED_PARTS = frozenset({"server", "mount", "program", "switch", "link"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What weighs on every piece of evidence."""

    phase: Phase
    failed_at: datetime | None
    error: timedelta
    suspects: frozenset[str]  # hosts that stopped first or that peers name
    ended_at: datetime | None = None  # when the others gave up waiting
    late: timedelta = timedelta(0)  # how much later than `failed_at` it may have begun
    is_open: bool = False  # nobody says when it was over: what came hours later fades
    is_untimed: bool = False  # the session spoke, and never said when
    hosts: frozenset[str] = frozenset()  # of the session, as far as known
    processes: frozenset[int] = frozenset()  # that the session's log names
    # source → the uptime of its last line, where none prints a time
    uptimes: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedPiece:
    """One observation under one symptom of one cause."""

    observation: Observation
    weight: float  # by itself, in log-odds
    statement: Statement
    is_generic: bool
    family: str  # pieces of one family tell the same fact
    share: float = 0.0  # what it adds beside the others

    @property
    def voice(self) -> str:
        """Return whose word it is: a kind of log, or the metrics."""
        if not self.observation.events:
            return "metrics"
        line = self.observation.events[0].line
        return str(line.origin.stream or line.stream or "")
