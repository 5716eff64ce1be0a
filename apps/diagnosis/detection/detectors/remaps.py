"""Memory rows that are remapped again and again: a board that wears out, long before any Xid.

Told of a board: many within a day, and a slow growth that goes on for days.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.levels import grown
from apps.diagnosis.detection.detector_state.row_findings import Growth, told_growth
from apps.diagnosis.model import Anomaly, AnomalyKind, Detector, Frame, Notes, Role, Scene

DAY_SECONDS = 86_400.0
# More than eight in 24 hours: Algalon's rule to watch a board.
MANY_A_DAY = 8.0
# On three days of seven, eight in all: growth that does not stop by itself.
WEEK, DAYS_OF_WEEK, MANY_A_WEEK = 7, 3, 8.0
# A board with more than ten remapped rows fails again five times in six (SuperBench).
HIGH_RISK = 10.0
# What is kept of each row: growth by hour and by day, and which hour and day it is of.
HOURS, DAYS = 24, 8
BY_HOUR, HOUR_IS = slice(0, HOURS), slice(HOURS, 2 * HOURS)
BY_DAY, DAY_IS = slice(2 * HOURS, 2 * HOURS + DAYS), slice(2 * HOURS + DAYS, 2 * HOURS + 2 * DAYS)
# Of each way of telling: first growth, when it was enough, growth since, newest growth.
FIRST, ENOUGH, SINCE, NEWEST = range(4)
WAYS = ("day", "week")
OPEN = 2 * HOURS + 2 * DAYS
WIDTH = OPEN + 4 * len(WAYS)


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _of_frame(frame, notes))


def _of_frame(frame: Frame, notes: Notes) -> Iterator[Anomaly]:
    growth, before, waited = grown(frame, notes)
    with np.errstate(invalid="ignore"):
        growing = growth > 0
    if not growing.any():
        return
    subject, at = f"remaps/{frame.signal.name}", frame.at
    known = array_store.array(
        notes, subject, "rows", shape=(len(growth), WIDTH), fill=np.nan
    ).copy()
    told: dict[tuple[int, str, float], Anomaly] = {}
    for row, column in np.argwhere(growing).tolist():
        state, when = known[row], float(at[column])
        _count(state, when, float(growth[row, column]))
        reached = float(before[row, column] + growth[row, column])
        for place, way in enumerate(WAYS):
            spell = state[OPEN + 4 * place : OPEN + 4 * place + 4]
            _go_on(spell, way, state, when, float(growth[row, column]))
            if not np.isnan(spell[ENOUGH]):
                told[row, way, float(spell[FIRST])] = _anomaly(
                    frame, row, way, spell, reached, float(waited[row, column])
                )
    array_store.keep(notes, subject, rows=known)
    yield from told.values()


def _count(state: stats.Floats, when: float, growth: float) -> None:
    """Add growth to its hour and its day, in place of one long past."""
    for amounts, stamps, seconds, size in (
        (BY_HOUR, HOUR_IS, 3600.0, HOURS),
        (BY_DAY, DAY_IS, DAY_SECONDS, DAYS),
    ):
        number = when // seconds
        place = int(number % size)
        is_same = state[stamps.start + place] == number
        former = state[amounts.start + place] if is_same else 0.0
        state[amounts.start + place], state[stamps.start + place] = former + growth, number


def _go_on(spell: stats.Floats, way: str, state: stats.Floats, when: float, growth: float) -> None:
    """Begin or prolong what is told in one way; a pause as long as its span begins it anew."""
    span = DAY_SECONDS * (1 if way == "day" else WEEK)
    if not when - spell[NEWEST] <= span:
        spell[:] = when, np.nan, 0.0, when
    spell[SINCE] += growth
    spell[NEWEST] = when
    enough = _many_a_day(state, when) if way == "day" else _many_a_week(state, when)
    if enough and np.isnan(spell[ENOUGH]):
        spell[ENOUGH] = when


def _many_a_day(state: stats.Floats, when: float) -> bool:
    recent = state[HOUR_IS] > when // 3600.0 - HOURS
    return bool(state[BY_HOUR][recent].sum() > MANY_A_DAY)


def _many_a_week(state: stats.Floats, when: float) -> bool:
    recent = state[DAY_IS] > when // DAY_SECONDS - WEEK
    total = state[BY_DAY][recent].sum()
    return bool(np.count_nonzero(recent) >= DAYS_OF_WEEK and total >= MANY_A_WEEK)


def _anomaly(
    frame: Frame, row: int, way: str, spell: stats.Floats, reached: float, waited: float
) -> Anomaly:
    first, enough, since, newest = spell.tolist()
    growth = Growth(
        row=row,
        first=first,
        newest=newest,
        enough=enough,
        total=since,
        before=reached - since,
        waited=waited,
    )
    score = 1.0 if reached > HIGH_RISK else 0.7
    # The rule it follows is one to warn by; what a board wears out by is no circumstance.
    role = Role.CONFIRMATION
    return told_growth(frame, growth, kind=REMAP_GROWTH.name, score=score, role=role, detail=way)


REMAP_GROWTH = AnomalyKind(
    name="remap-growth",
    did="keeps growing",
    sentence="Memory rows are remapped again and again",
    weight=4.4,
    is_fact=True,
)
REMAPS = Detector(
    name="remaps",
    meaning="memory rows of a board are remapped again and again",
    notice=_notice,
    kinds=(REMAP_GROWTH,),
    order=5,
)
