"""Kernels that spin: the GPU says it is busy and draws a quarter of the power of its work.

That is what a hung collective looks like. When most of a session does it at once the session
stands, and that is told once; one that does it alone is waited for by nobody, or waits for ever.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.baselines.learned_levels import LearnedLevels
from apps.diagnosis.detection.detector_state.levels import levels
from apps.diagnosis.detection.detector_state.peer_levels import members_of
from apps.diagnosis.detection.detector_state.persistence import Spell, held_for, spells
from apps.diagnosis.model import (
    Anomaly,
    AnomalyKind,
    Detector,
    Device,
    Frame,
    Layer,
    Notes,
    Role,
    Scene,
)

BUSY = 0.95
# A quarter of the usual power, with a fifth of slack for what boards draw at rest.
QUARTER = 0.3
# Work is what is done above this utilisation; its power is learnt over hours, and known after
# half of one.
WORKS = 0.5
LEARNT_SECONDS, KNOWN_SECONDS = 14_400.0, 1_800.0
# An implicit hang is to be told within ten minutes; kernels spin for a minute or two at a save.
HELD_SECONDS, HELD_SHARE = 300.0, 0.9
EPISODE_GAP_SECONDS = 300.0
# From this share of a session's hosts on, the session stands.
SESSION_SHARE = 0.5


def _notice(frames: Sequence[Frame], scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(
        anomaly
        for power, busy in _pairs(frames, notes)
        for anomaly in _of_pair(power, busy, scene, notes)
    )


def _pairs(frames: Sequence[Frame], notes: Notes) -> Iterator[tuple[Frame, stats.Floats]]:
    """Yield the power of an exporter with the utilisation of the same rows."""
    for power in frames:
        if power.signal.unit != "W":
            continue
        for other in frames:
            is_pair = (
                other.signal.unit == "ratio" and other.signal.exporter == power.signal.exporter
            )
            if is_pair and (other.start, other.values.shape[1]) == (
                power.start,
                power.values.shape[1],
            ):
                place = {entity: row for row, entity in enumerate(other.entities)}
                rows = [place.get(entity, -1) for entity in power.entities]
                nothing = np.full((1, power.values.shape[1]), np.nan)
                yield power, np.concatenate((levels(other, notes), nothing))[rows]


def _of_pair(power: Frame, busy: stats.Floats, scene: Scene, notes: Notes) -> Iterator[Anomaly]:
    drawn = levels(power, notes)
    usual = _usual(power, drawn, busy, notes)
    with np.errstate(invalid="ignore"):
        hot = (busy >= BUSY) & (drawn <= QUARTER * usual)
    stands, whole = _stands(power, hot, drawn, scene, notes)
    rule = held_for(power, seconds=HELD_SECONDS, share=HELD_SHARE, gap_seconds=EPISODE_GAP_SECONDS)
    subject = f"spinning/{power.signal.name}"
    for spell in spells(notes, subject, power, hot & ~stands, rule, (drawn, usual)):
        yield _anomaly(power, power.entities[spell.row], spell)
    named = array_store.by_name(notes, subject, [group.name for group in scene.groups])
    counts = np.where(whole > 0, whole, 0.0)
    for spell in spells(notes, named, power, whole > 0, rule, (counts, counts)):
        group = scene.groups[spell.row]
        yield _anomaly(power, Device(kind="group", name=group.name), spell, hosts=len(group.hosts))


def _usual(power: Frame, drawn: stats.Floats, busy: stats.Floats, notes: Notes) -> stats.Floats:
    """Return what each row draws at work, as learnt before each column; NaN until it is known."""
    learnt = LearnedLevels(notes, f"spinning/{power.signal.name}", len(drawn), power.step)
    out = np.full(drawn.shape, np.nan)
    for column in range(drawn.shape[1]):
        now = drawn[:, column]
        out[:, column] = learnt.known(KNOWN_SECONDS)
        with np.errstate(invalid="ignore"):
            works = (busy[:, column] > WORKS) & ~np.isnan(now) & ~(now <= QUARTER * learnt.level)
        learnt.take(now, works, LEARNT_SECONDS)
    learnt.keep()
    return out


def _stands(
    power: Frame, hot: stats.Mask, drawn: stats.Floats, scene: Scene, notes: Notes
) -> tuple[stats.Mask, stats.Floats]:
    """Say where a row spins with most of its session, and how many hosts of each do."""
    stands = np.zeros_like(hot)
    whole = np.zeros((len(scene.groups), hot.shape[1]))
    for place, group in enumerate(scene.groups):
        members = members_of(power, notes, place, group)
        if not group.name or len(members.hosts) < 2:
            continue
        spins = np.zeros((len(members.hosts), hot.shape[1]), dtype=np.bool_)
        np.logical_or.at(spins, members.host, hot[members.rows])
        heard = np.zeros_like(spins)
        np.logical_or.at(heard, members.host, ~np.isnan(drawn[members.rows]))
        count = spins.sum(axis=0)
        most = (count >= 2) & (count > SESSION_SHARE * heard.sum(axis=0))
        stands[members.rows] |= most
        whole[place] = np.where(most, count, 0)
    return stands, whole


def _anomaly(power: Frame, entity: Device, spell: Spell, hosts: int = 1) -> Anomaly:
    signal = power.signal
    is_whole = entity.kind == "group"
    value, usual = spell.means
    return Anomaly(
        kind=BUSY_IDLING.name,
        signal=signal.name,
        family="progress",
        layer=Layer.STRAGGLER,
        entity=entity,
        starts_at=spell.starts_at,
        ends_at=spell.ends_at,
        noticed_at=spell.noticed_at,
        score=1.0,
        value=value,
        baseline=None if is_whole else usual,
        unit="hosts" if is_whole else signal.unit,
        role=Role.CONFIRMATION,
        causes=("slow-member",),
        resolution_seconds=power.step,
        detail="session" if is_whole else "",
        host_count=max(1, round(value)) if is_whole else hosts,
    )


BUSY_IDLING = AnomalyKind(
    name="spinning",
    did="busy without drawing power",
    sentence="A GPU is busy without drawing power",
    weight=3.0,
)
SPINNING = Detector(
    name="spinning",
    meaning="a GPU says it is busy and draws a quarter of its power",
    notice=_notice,
    kinds=(BUSY_IDLING,),
    order=6,
)
