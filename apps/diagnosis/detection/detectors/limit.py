"""A level that nobody would call well, whatever is usual: held for several samples."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.levels import cleaned
from apps.diagnosis.detection.detector_state.persistence import Continuity, Spell, over, spells
from apps.diagnosis.detection.detector_state.row_findings import told
from apps.diagnosis.detection.shared_kinds import SATURATED
from apps.diagnosis.model import Anomaly, Detector, Device, Frame, Notes, Scene

WINDOW, AT_LEAST = 4, 3
EPISODE_GAP_SECONDS = 300.0


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _episodes(frame, notes))


def _episodes(frame: Frame, notes: Notes) -> Iterator[Anomaly]:
    """Yield one episode per entity; several rows of one entity are its parts, the worst counts."""
    parts: dict[Device, list[int]] = defaultdict(list)
    for row, entity in enumerate(frame.entities):
        parts[entity].append(row)
    values = cleaned(frame, notes)
    worst = np.full(values.shape, np.nan)
    for rows in parts.values():
        worst[rows[0]] = np.fmax.reduce(values[rows], axis=0)
    with np.errstate(invalid="ignore"):
        above = worst >= frame.signal.notable
    bridge = over(EPISODE_GAP_SECONDS, frame)
    rule = Continuity(window=WINDOW, at_least=AT_LEAST, bridge=bridge)
    for spell in spells(notes, f"limit/{frame.signal.name}", frame, above, rule, (worst,)):
        yield _anomaly(frame, spell, worst[spell.row][~above[spell.row]])


def _anomaly(frame: Frame, spell: Spell, below: stats.Floats) -> Anomaly:
    usual = below[~np.isnan(below)]
    baseline = float(np.median(usual)) if len(usual) else None
    (value,) = spell.means
    score = min(1.0, value / frame.signal.notable / 2)
    found = told(frame, spell, kind=SATURATED.name, score=score, value=value, baseline=baseline)
    return replace(found, unit=frame.signal.unit, detail="")  # of all parts, the worst


LIMIT = Detector(
    name="limit",
    meaning="a level beyond what any machine should show",
    notice=_notice,
    kinds=(SATURATED,),
    order=9,
)
