"""A spell of one row as a finding: what the signal says of itself, and when it began and lasts."""

from apps.diagnosis.carried.spells import Spell
from apps.diagnosis.model import Anomaly, Frame, Semantics


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
