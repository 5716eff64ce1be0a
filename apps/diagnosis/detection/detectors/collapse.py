"""Activity that breaks down, or floods, on one host while the others of its session go on.

A host whose work has died serves a fraction of its peers' interrupts and runs no tasks, long before
anything is counted as an error. Needs peers that live: three hosts at least.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.peer_levels import ComparableRows, compared, laid
from apps.diagnosis.detection.detector_state.persistence import Spell, held_for, spells
from apps.diagnosis.detection.detector_state.row_findings import told
from apps.diagnosis.model import (
    Anomaly,
    AnomalyKind,
    Detector,
    Frame,
    Notes,
    Scene,
    Semantics,
)

# Of the peers' middle: rates under a half, levels under a fifth ("fewer than 2 tasks run while the
# others run more than 10"), floods over four times and one. Ten minutes, as Algalon's rules ask.
RATE_SHARE, LEVEL_SHARE, FLOOD = 0.5, 0.2, 4.0
HELD_SECONDS, HELD_SHARE = 600.0, 0.9
EPISODE_GAP_SECONDS = 600.0
# A middle near nothing cannot break down: it has to be this many times the least that counts.
LIVELY = 2.5
# And the host has to stand out from how far its peers are spread.
FAR = 3.0


def _notice(frames: Sequence[Frame], scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(
        anomaly
        for frame in frames
        for anomaly in _of_frame(frame, notes, compared(frame, notes, scene, frames))
    )


def _of_frame(frame: Frame, notes: Notes, parts: Sequence[ComparableRows]) -> Iterator[Anomaly]:
    values = laid(frame, parts, lambda part: part.values)
    middle = laid(frame, parts, lambda part: part.middle)
    hot = laid(frame, parts, lambda part: _stands_out(frame, part)) == 1.0
    rule = held_for(frame, seconds=HELD_SECONDS, share=HELD_SHARE, gap_seconds=EPISODE_GAP_SECONDS)
    for spell in spells(notes, f"collapse/{frame.signal.name}", frame, hot, rule, (values, middle)):
        yield _anomaly(frame, spell)


def _stands_out(frame: Frame, part: ComparableRows) -> stats.Mask:
    signal = frame.signal  # which way is bad doesn't matter: the host is not at its work
    least = RATE_SHARE if signal.semantics is Semantics.COUNTER else LEVEL_SHARE
    with np.errstate(invalid="ignore"):
        lively = part.middle > LIVELY * signal.floor
        low = (part.values < least * part.middle) & (part.score <= -FAR) & lively
        high = (part.values > FLOOD * part.middle + 1) & (part.score >= FAR)
    return low | high


def _anomaly(frame: Frame, spell: Spell) -> Anomaly:
    value, middle = spell.means
    return told(
        frame,
        spell,
        kind=COLLAPSED.name if value < middle else "flood",
        score=min(1.0, abs(value - middle) / max(abs(middle), abs(value), 1e-300)),
        value=value,
        baseline=middle,
    )


COLLAPSED = AnomalyKind(
    name="collapse",
    did="fell to nearly nothing",
    sentence="A value fell to nearly nothing",
    weight=3.4,
    is_compared=True,
)
FLOODED = AnomalyKind(
    name="flood",
    did="rose to many times the usual",
    sentence="A value rose to many times the usual",
    weight=3.0,
    is_compared=True,
    is_beside_peers=True,
)
COLLAPSE = Detector(
    name="collapse",
    meaning="activity breaks down on one host and not on its peers",
    notice=_notice,
    kinds=(COLLAPSED, FLOODED),
    order=7,
)
