"""A spell or a growth of one row as a finding: what the signal says of itself, and when it was."""

from dataclasses import dataclass
from datetime import UTC, datetime

from apps.diagnosis.detection.detector_state.persistence import Spell
from apps.diagnosis.model import Anomaly, Frame, Role, Semantics


def told(
    frame: Frame, spell: Spell, *, kind: str, score: float, value: float, baseline: float | None
) -> Anomaly:
    """Return the finding; value and baseline of a counter are rates, a second."""
    signal = frame.signal
    return Anomaly(
        kind=kind,
        signal=signal.name,
        family=signal.family,
        layer=signal.layer,
        entity=frame.entities[spell.row],
        starts_at=spell.starts_at,
        ends_at=spell.ends_at,
        noticed_at=spell.noticed_at,
        score=score,
        value=value,
        baseline=baseline,
        unit=f"{signal.unit}/s" if signal.semantics is Semantics.COUNTER else signal.unit,
        role=signal.role,
        causes=signal.causes,
        resolution_seconds=frame.step,
        detail=frame.details[spell.row] if frame.details else "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How a counter of one row grew. Times are Unix seconds."""

    row: int
    first: float
    newest: float
    enough: float  # when it was enough to be told
    total: float
    before: float  # the value that it grew from
    waited: float  # seconds between the readings around it


def told_growth(
    frame: Frame, growth: Growth, *, kind: str, score: float, role: Role, detail: str | None = None
) -> Anomaly:
    """Return the finding."""
    signal = frame.signal
    own = frame.details[growth.row] if frame.details else ""
    return Anomaly(
        kind=kind,
        signal=signal.name,
        family=signal.family,
        layer=signal.layer,
        entity=frame.entities[growth.row],
        starts_at=datetime.fromtimestamp(growth.first, UTC),
        ends_at=datetime.fromtimestamp(growth.newest, UTC),
        noticed_at=datetime.fromtimestamp(growth.enough, UTC),
        score=score,
        value=growth.total,
        baseline=growth.before,
        unit=signal.unit,
        role=role,
        causes=signal.causes,
        resolution_seconds=growth.waited,
        detail=own if detail is None else detail,
    )
