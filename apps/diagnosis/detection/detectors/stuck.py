"""Tasks that stay blocked on one host while hardly any host of its session has one.

Whoever asks a driver or a file server that does not answer waits uninterruptibly. The callers are
few (an exporter, a health check), so that a count of one or two is all that shows, long before
anything fails; but a healthy host has none at most instants. While many have some, in a save or a
load, nothing is said.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.peer_levels import ComparableRows, compared, laid
from apps.diagnosis.detection.detector_state.persistence import Spell, held_for, spells
from apps.diagnosis.detection.detector_state.row_findings import told
from apps.diagnosis.model import Anomaly, AnomalyKind, Detector, Frame, Notes, Scene

# Nine in ten of the peers have fewer than it takes.
QUIET_SHARE = 0.9
# Four of five samples a minute apart.
WINDOW_SECONDS, HELD_SHARE, LEAST_SAMPLES = 300.0, 0.8, 3
EPISODE_GAP_SECONDS = 300.0


def _notice(frames: Sequence[Frame], scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(
        anomaly
        for frame in frames
        for anomaly in _of_frame(frame, notes, compared(frame, notes, scene, frames))
    )


def _of_frame(frame: Frame, notes: Notes, parts: Sequence[ComparableRows]) -> Iterator[Anomaly]:
    values = laid(frame, parts, lambda part: part.values)
    hot = laid(frame, parts, lambda part: _stuck(part.values, frame.signal.notable)) == 1.0
    rule = held_for(
        frame,
        seconds=WINDOW_SECONDS,
        share=HELD_SHARE,
        gap_seconds=EPISODE_GAP_SECONDS,
        least=LEAST_SAMPLES,
    )
    for spell in spells(notes, f"stuck/{frame.signal.name}", frame, hot, rule, (values,)):
        yield _anomaly(frame, spell)


def _stuck(values: stats.Floats, notable: float) -> stats.Mask:
    with np.errstate(invalid="ignore"):
        high = values >= notable
        others = stats.quantiles(values, (QUIET_SHARE,))[0] < notable
    stuck: stats.Mask = high & others
    return stuck


def _anomaly(frame: Frame, spell: Spell) -> Anomaly:
    (value,) = spell.means
    score = value / (value + frame.signal.notable)  # at the least that counts, as likely as not
    return told(frame, spell, kind=STUCK_TASKS.name, score=score, value=value, baseline=0.0)


STUCK_TASKS = AnomalyKind(
    name="stuck",
    did="stays up on one host alone",
    sentence="Tasks stay blocked on one host alone",
    weight=3.0,
    is_compared=True,
    is_beside_peers=True,
)
STUCK = Detector(
    name="stuck",
    meaning="tasks stay blocked on one host and not on its peers",
    notice=_notice,
    kinds=(STUCK_TASKS,),
)
