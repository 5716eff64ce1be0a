"""Deviation from the peers of the same session: healthy members of a synchronous job look alike.

Where many hosts leave the middle at once, that is told once, of the group.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.baselines.daily_baseline import usual
from apps.diagnosis.detection.detector_state.peer_levels import (
    LEAST_HOSTS,
    ComparableRows,
    compared,
)
from apps.diagnosis.detection.detector_state.persistence import Continuity, Spell, over, spells
from apps.diagnosis.model import (
    Anomaly,
    AnomalyKind,
    BadDirection,
    Detector,
    Device,
    Frame,
    Notes,
    Scene,
    Semantics,
)

# Robust standard deviations. One sample at this distance happens by chance; four minutes don't.
FAR = 6.0
# And further than it, or any two of its peers, strayed for five minutes in the last days.
BEYOND_REACH = 1.5
CONTINUITY_SECONDS = 240.0
CONTINUITY_SHARE = 0.75
# Beyond this share of the hosts (and three of them) the cause is shared.
SHARED_SHARE = 0.2


def _notice(frames: Sequence[Frame], scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(
        anomaly
        for frame in frames
        if frame.values.shape[1]
        for anomaly in _of_frame(frame, scene, notes, frames)
    )


def _of_frame(
    frame: Frame, scene: Scene, notes: Notes, frames: Sequence[Frame]
) -> Iterator[Anomaly]:
    parts = compared(frame, notes, scene, frames)
    habit = usual(frame, notes, scene, frames).beside_peers(frame)
    shape = frame.values.shape
    score, middle = np.full(shape, np.nan), np.full(shape, np.nan)
    own, shared = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    count = np.zeros((len(scene.groups), shape[1]))
    for blunt in parts:
        at = (blunt.members.rows, slice(blunt.first, blunt.end))
        known = ~np.isnan(habit[0][at])
        part = replace(blunt, score=blunt.score * np.where(known, blunt.sharpness, 1.0))
        far = _is_far_and_new(part, [each[at] for each in habit], frame.signal.bad)
        hit = _hosts_hit(far, part)
        many = (hit >= LEAST_HOSTS) & (hit > SHARED_SHARE * len(part.members.hosts))
        own[at], shared[at] = far & ~many, far & many
        score[at], middle[at] = part.score, part.middle
        whole = count[part.group, part.first : part.end]
        np.maximum(whole, np.where(many, hit, 0), out=whole)
    subject, rule = f"peers/{frame.signal.name}", _rule(frame)
    averaged = (score, _values(frame, parts), middle)
    for spell in spells(notes, subject, frame, own, rule, averaged):
        yield _anomaly(frame, spell)
    if scene.groups:
        yield from _shared(frame, scene, notes, shared, count)


def _values(frame: Frame, parts: Sequence[ComparableRows]) -> stats.Floats:
    values = np.full(frame.values.shape, np.nan)
    for part in parts:
        values[part.members.rows, part.first : part.end] = part.values
    return values


def _is_far(score: stats.Floats, bad: BadDirection) -> stats.Mask:
    with np.errstate(invalid="ignore"):
        high: stats.Mask = score >= FAR
        low: stats.Mask = score <= -FAR
    if bad is BadDirection.UP:
        return high
    return low if bad is BadDirection.DOWN else high | low


def _is_far_and_new(
    part: ComparableRows, own: Sequence[stats.Floats], bad: BadDirection
) -> stats.Mask:
    """Say where a member is far from its peers, and from where it usually is beside them."""
    offset, stirs, strays = own
    far = _is_far(part.score, bad)
    if not far.any():
        return far
    # Other members make another middle: what most of them are off by is nobody's own.
    common, _ = stats.middle_and_spread(offset)
    offset = offset - np.nan_to_num(common)
    with np.errstate(invalid="ignore", divide="ignore"):
        away = part.values - part.middle - np.nan_to_num(offset)
        moved = _is_far(away / np.fmax(part.unit / part.sharpness, stirs), bad)
        beyond = np.abs(away) > BEYOND_REACH * np.nan_to_num(strays)
    is_new: stats.Mask = far & (np.isnan(offset) | moved) & beyond
    return is_new


def _hosts_hit(far: stats.Mask, part: ComparableRows) -> stats.Floats:
    """Return how many hosts have a far member at each column."""
    hit = np.zeros((len(part.members.hosts), far.shape[1]), dtype=np.bool_)
    if far.any():
        np.logical_or.at(hit, part.members.host, far)
    total: stats.Floats = hit.sum(axis=0)
    return total


def _rule(frame: Frame) -> Continuity:
    # From the first sample to the last one: a pause of three minutes is none of four.
    window = max(3, over(CONTINUITY_SECONDS, frame) + 1)
    at_least = int(np.ceil(CONTINUITY_SHARE * window))
    return Continuity(window=window, at_least=at_least, bridge=window, is_whole=True)


def _shared(
    frame: Frame, scene: Scene, notes: Notes, shared: stats.Mask, count: stats.Floats
) -> Iterator[Anomaly]:
    """Yield what many hosts of a group do at once, with those that did it since it was noticed."""
    subject = f"peers/{frame.signal.name}"
    last = array_store.array(notes, subject, "shared", shape=(len(shared),), fill=np.nan)
    named = array_store.by_name(notes, subject, [group.name for group in scene.groups])
    for spell in spells(notes, named, frame, count > 0, _rule(frame), (count,)):
        with np.errstate(invalid="ignore"):
            hit = shared[:, : spell.end][:, spell.first :].any(axis=1) | (last >= spell.starts)
        members = frozenset(scene.groups[spell.row].hosts)
        rows = [int(row) for row in np.flatnonzero(hit)]
        hosts = tuple(sorted({frame.entities[row].host or "" for row in rows} & members))
        yield replace(
            _anomaly(frame, spell),
            kind=SHARED_DEVIATION.name,
            entity=Device(kind="group", name=scene.groups[spell.row].name),
            score=spell.means[0] / max(1, len(members)),
            value=spell.means[0],
            baseline=0.0,
            unit="hosts",
            hosts=hosts,
            host_count=len(hosts),
        )
    if shared.any():
        columns = np.arange(shared.shape[1])
        newest = np.where(shared, columns, -1).max(axis=1)
        now = np.where(newest >= 0, frame.start + newest * frame.step, last)
        array_store.keep(notes, subject, shared=now)


def _anomaly(frame: Frame, spell: Spell) -> Anomaly:
    signal = frame.signal
    score, value, middle = spell.means if len(spell.means) == 3 else (0.0, 0.0, 0.0)
    return Anomaly(
        kind=PEER_DEVIATION.name,
        signal=signal.name,
        family=signal.family,
        layer=signal.layer,
        entity=frame.entities[spell.row] if spell.row < len(frame.entities) else Device(kind=""),
        starts_at=spell.starts_at,
        ends_at=spell.ends_at,
        noticed_at=spell.noticed_at,
        score=score,
        value=value,
        baseline=middle,
        unit=signal.unit if signal.semantics is Semantics.GAUGE else f"{signal.unit}/s",
        role=signal.role,
        causes=signal.causes,
        resolution_seconds=frame.step,
        detail=frame.details[spell.row] if frame.details and len(spell.means) == 3 else "",
    )


PEER_DEVIATION = AnomalyKind(
    name="peer-deviation",
    did="left its peers",
    sentence="A value left its peers",
    weight=5.0,
    is_compared=True,
    is_beside_peers=True,
    is_lasting=True,
)
SHARED_DEVIATION = AnomalyKind(
    name="shared-deviation",
    did="moved on many hosts at once",
    sentence="A value moved on many hosts at once",
    weight=3.0,
    is_of_own_past=True,
)
PEERS = Detector(
    name="peers",
    meaning="a member differs from the others of its session",
    notice=_notice,
    kinds=(PEER_DEVIATION, SHARED_DEVIATION),
    order=11,
    learns_past=True,
)
