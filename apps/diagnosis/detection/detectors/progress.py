"""A session that stands still: no step is made, or nothing is sent between its hosts.

That is a hang that nobody has called one yet: no error is printed until a timeout of half an hour.
Sessions pause by themselves, at a save or an evaluation. So it is told after five times its usual
step, but not before it has stood half as long again as it paused by itself lately; after ten
minutes in any case. What a scheduler or the program calls a save or a load is no standstill.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.levels import grown
from apps.diagnosis.detection.detector_state.peer_levels import members_of
from apps.diagnosis.model import (
    Anomaly,
    AnomalyKind,
    Detector,
    Device,
    Frame,
    Layer,
    Notes,
    PeerGroup,
    Role,
    Scene,
)

STEPS = 5.0  # of the usual length
LONGER = 1.5  # times the longest pause of lately
# Never told sooner: scrapes are lost, and a step of seconds is not seen between two of them.
LEAST_SECONDS, MOST_SECONDS = 120.0, 600.0
# Below this share of what the session usually sends, it sends nothing.
NOTHING_SHARE = 0.02
# Traffic of at most this share of the ports may be unknown.
SHARE_LOST = 0.2
# Usual is learnt over hours, and known after half of one; a pause is forgotten within a day.
LEARNT_SECONDS, KNOWN_SECONDS, FORGOTTEN_SECONDS = 14_400.0, 1_800.0, 86_400.0
# What is kept of each session: when it last moved, how long it moved in all, what is usual (of
# steps their seconds, of traffic its level), the longest pause, when the standstill was noticed.
LAST, MOVED, USUAL, PAUSE, NOTICED = range(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What one session did in one frame: per column growth and time, NaN where not heard."""

    grown: stats.Floats  # steps made, or bytes sent by all
    waited: stats.Floats  # seconds in which it did
    is_told: stats.Mask  # where a band says why it would stand


def _notice(frames: Sequence[Frame], scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _of_frame(frame, scene, notes))


def _of_frame(frame: Frame, scene: Scene, notes: Notes) -> Iterator[Anomaly]:
    named = array_store.by_name(
        notes, f"progress/{frame.signal.name}", [group.name for group in scene.groups]
    )
    known = array_store.array(notes, named, "state", shape=(len(scene.groups), 5), fill=np.nan)
    known = known.copy()
    for place, group in enumerate(scene.groups):
        look = _look(frame, scene, notes, place)
        if group.name and look is not None:
            yield from _stands(frame, group, known[place], look)
    array_store.keep(notes, named, state=known)


def _look(frame: Frame, scene: Scene, notes: Notes, place: int) -> _Look | None:
    group = scene.groups[place]
    members = members_of(frame, notes, place, group)
    if not len(members.rows):
        return None
    growth, _, waited = (each[members.rows] for each in grown(frame, notes))
    heard = ~np.isnan(growth)
    together = np.fmax.reduce(growth, axis=0) if _is_steps(frame) else np.nansum(growth, axis=0)
    at = frame.at
    is_told = at < group.starts_at.timestamp()
    if group.ends_at is not None:
        is_told |= at >= group.ends_at.timestamp()
    for band in scene.bands:
        if not band.hosts or not set(band.hosts).isdisjoint(group.hosts):
            is_told |= (at >= band.starts_at.timestamp()) & (at < band.ends_at.timestamp())
    # Of traffic most have to be heard, or those that are lost would look like silence.
    is_heard = heard.any(axis=0) if _is_steps(frame) else heard.mean(axis=0) > 1 - SHARE_LOST
    return _Look(
        grown=np.where(is_heard, together, np.nan),
        waited=np.fmax.reduce(np.where(heard, waited, np.nan), axis=0),
        is_told=is_told,
    )


def _is_steps(frame: Frame) -> bool:
    return frame.signal.unit == "steps"


def _stands(frame: Frame, group: PeerGroup, state: stats.Floats, look: _Look) -> Iterator[Anomaly]:
    """Yield the standstills of a session that this block begins or prolongs; keep its state."""
    told: dict[float, Anomaly] = {}
    for column, now in enumerate(frame.at.tolist()):
        growth, waited = float(look.grown[column]), float(look.waited[column])
        if look.is_told[column]:
            state[LAST] = now if state[MOVED] > 0 else np.nan
            state[NOTICED] = np.nan
        elif np.isnan(growth):
            continue
        elif _moves(frame, state, growth, waited):
            _learn(frame, state, now, growth, waited)
        elif not np.isnan(state[LAST]) and now - state[LAST] >= _limit(frame, state):
            state[NOTICED] = now if np.isnan(state[NOTICED]) else state[NOTICED]
            told[float(state[LAST])] = _anomaly(frame, group, state, now)
    yield from told.values()


def _moves(frame: Frame, state: stats.Floats, growth: float, waited: float) -> bool:
    if _is_steps(frame) or not state[MOVED] >= KNOWN_SECONDS:
        return growth > 0
    return growth / waited > NOTHING_SHARE * float(state[USUAL])


def _learn(frame: Frame, state: stats.Floats, now: float, growth: float, waited: float) -> None:
    """Note that the session moved: what is usual, and how long it had paused before."""
    moved = float(np.nan_to_num(state[MOVED]))
    pause = 0.0 if np.isnan(state[LAST]) else now - float(state[LAST])
    # A step that is longer than a scrape has begun some scrapes ago.
    spent = max(pause, waited)
    value = spent / growth if _is_steps(frame) else growth / waited
    share = max(min(1.0, spent / LEARNT_SECONDS), spent / (moved + spent))
    usual = value if np.isnan(state[USUAL]) else float(state[USUAL])
    if np.isnan(state[NOTICED]):
        state[USUAL] = usual + share * (value - usual)
    kept = float(np.nan_to_num(state[PAUSE])) * max(0.0, 1 - waited / FORGOTTEN_SECONDS)
    # What went on by itself was a pause, told or not: the next one as long is none.
    state[PAUSE] = max(kept, pause)
    state[LAST], state[MOVED], state[NOTICED] = now, moved + spent, np.nan


def _limit(frame: Frame, state: stats.Floats) -> float:
    """Return how long a session may stand before it is told, infinite while usual is not known."""
    if not state[MOVED] >= KNOWN_SECONDS:
        return np.inf
    steps = STEPS * float(state[USUAL]) if _is_steps(frame) else 0.0
    own = LONGER * float(np.nan_to_num(state[PAUSE]))
    return min(MOST_SECONDS, max(LEAST_SECONDS, steps, own))


def _anomaly(frame: Frame, group: PeerGroup, state: stats.Floats, now: float) -> Anomaly:
    last, _, usual, _, noticed = state.tolist()
    return Anomaly(
        kind=STANDSTILL.name,
        signal=frame.signal.name,
        family="progress",
        layer=Layer.STRAGGLER,
        entity=Device(kind="group", name=group.name),
        starts_at=datetime.fromtimestamp(last, UTC),
        ends_at=datetime.fromtimestamp(now + frame.step, UTC),
        noticed_at=datetime.fromtimestamp(noticed, UTC),
        score=1.0,
        value=now - last,
        baseline=usual if _is_steps(frame) else None,
        unit="seconds",
        role=Role.CONFIRMATION,
        causes=("slow-member",),
        resolution_seconds=frame.step,
        detail="session",
        host_count=len(group.hosts),
        hosts=tuple(group.hosts),
    )


STANDSTILL = AnomalyKind(
    name="standstill",
    did="stands still",
    sentence="A session makes no progress",
    weight=3.0,
)
PROGRESS = Detector(
    name="progress",
    meaning="a session makes no step, or sends nothing between its hosts",
    notice=_notice,
    kinds=(STANDSTILL,),
    order=6,
)
