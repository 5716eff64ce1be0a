"""Tasks that stay blocked on one host while hardly any host of its session has one.

Whoever asks a driver or a file server that does not answer waits uninterruptibly. The callers are
few (an exporter, a health check), so that a count of one or two is all that shows, long before
anything fails; but a healthy host has none at most instants. While many have some, in a save or a
load, nothing is said.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.carried.compared import Part, compared
from apps.diagnosis.carried.spells import Continuity, Spell, over, spells
from apps.diagnosis.carried.told import told
from apps.diagnosis.model import Anomaly, Detector, Frame, Notes, Scene

# Nine in ten of the peers have fewer than it takes.
QUIET_SHARE = 0.9
# Four of five samples a minute apart.
WINDOW_SECONDS, HELD_SHARE = 300.0, 0.8
EPISODE_GAP_SECONDS = 300.0


def _notice(frames: Sequence[Frame], scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(
        anomaly
        for frame in frames
        for anomaly in _of_frame(frame, notes, compared(frame, notes, scene, frames))
    )


def _of_frame(frame: Frame, notes: Notes, parts: Sequence[Part]) -> Iterator[Anomaly]:
    shape = frame.values.shape
    values, hot = np.full(shape, np.nan), np.zeros(shape, dtype=np.bool_)
    for part in parts:
        at = (part.members.rows, slice(part.first, part.end))
        values[at], hot[at] = part.values, _stuck(part.values, frame.signal.notable)
    window = max(3, over(WINDOW_SECONDS, frame))
    rule = Continuity(
        window=window,
        at_least=int(np.ceil(HELD_SHARE * window)),
        bridge=over(EPISODE_GAP_SECONDS, frame),
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
    return told(frame, spell, kind="stuck", score=score, value=value, baseline=0.0)


STUCK = Detector(
    name="stuck", meaning="tasks stay blocked on one host and not on its peers", notice=_notice
)
