"""The wall clock of a period divided among uses, and the shares that are made of it."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from apps.diagnosis.intervals import bootstrap_ratios
from apps.reliability.period.facts import HourRow, PeriodFacts, UseRow
from apps.reliability.period.scopes import (
    Absence,
    CountedKind,
    Figure,
    absent,
    counted,
)
from apps.reliability.period.values import HourShare, TimeDivision, UseShare
from apps.training.economics.goodput import REFERENCE_SHARES
from apps.training.economics.timelines import TimeUse
from apps.training.instants import HOUR_MS

KEPT = (TimeUse.PRODUCTIVE, TimeUse.STRAGGLER)
SECOND_MS = 1000


def time_division(facts: PeriodFacts, *, expected_ettr: float | None) -> TimeDivision:
    """Return the time of all sessions of which steps are known, whole milliseconds."""
    rows = facts.uses
    told = {row.session for row in rows}
    shares = use_shares(rows)
    scope = facts.scope
    untold = [
        each
        for each in facts.attempts_in(scope.starts_at, scope.ends_at)
        if each.times.session not in told
    ]
    seconds = sum(each.seconds_in(scope.starts_at, scope.ends_at) for each in untold)
    return TimeDivision(
        wall_ms=sum(row.wall_ms for row in rows) if rows or facts.reads_measures else None,
        uses=shares,
        goodput=share_figure(rows, (TimeUse.PRODUCTIVE,), absence=missing(facts)),
        ettr=share_figure(rows, KEPT, absence=missing(facts)),
        expected_ettr=expected_ettr,
        hours=tuple(_hours(facts.hours, now=facts.now)),
        reference_shares=REFERENCE_SHARES,
        unsure_count=sum(
            bool(each.measure and each.measure.is_unsure)
            for each in facts.attempts_in(scope.starts_at, scope.ends_at)
        ),
        untold_ms=round(seconds * SECOND_MS) if facts.reads_sessions else None,
        untold=counted(CountedKind.SESSIONS, [each.times.session for each in untold])
        if facts.reads_sessions
        else None,
        counted_until=facts.measured_until,
    )


def missing(facts: PeriodFacts) -> Absence:
    """Return why no step of a period is known to the reader."""
    return _absence(facts, is_hidden=facts.hides_steps)


def missing_saves(facts: PeriodFacts) -> Absence:
    """Return why no save of a period is known to the reader, nor what was computed."""
    return _absence(facts, is_hidden=facts.hides_saves)


def _absence(facts: PeriodFacts, *, is_hidden: bool) -> Absence:
    if not facts.reads_measures or is_hidden:
        return Absence.HIDDEN
    return Absence.NOT_TOLD if facts.attempts else Absence.NOTHING


def share_figure(rows: Sequence[UseRow], uses: Sequence[TimeUse], *, absence: Absence) -> Figure:
    """Return what some uses took of the wall clock, by bootstrap over sessions."""
    wall = sum(row.wall_ms for row in rows)
    if not wall:
        return absent(absence)
    spent = [sum(row.by_use[use.value] for use in uses) for row in rows]
    return Figure(
        value=sum(spent) / wall,
        n=len(rows),
        interval=_intervals([[each] for each in spent], rows)[0] if len(rows) > 1 else None,
        counted=counted(CountedKind.SESSIONS, [row.session for row in rows]),
    )


def use_shares(rows: Sequence[UseRow]) -> tuple[UseShare, ...]:
    """Return what each use took; together they are the wall clock of the rows."""
    wall = sum(row.wall_ms for row in rows)
    if not wall:
        return ()
    spent = [[row.by_use[use.value] for use in TimeUse] for row in rows]
    intervals: Sequence[tuple[float, float] | None] = (
        _intervals(spent, rows) if len(rows) > 1 else [None] * len(TimeUse)
    )
    sessions = counted(CountedKind.SESSIONS, [row.session for row in rows])
    return tuple(
        UseShare(
            use=use.value,
            milliseconds=sum(row[place] for row in spent),
            gpu_hours=_gpu_hours(rows, use),
            share=Figure(
                value=sum(row[place] for row in spent) / wall,
                n=len(rows),
                interval=intervals[place],
                counted=sessions,
            ),
        )
        for place, use in enumerate(TimeUse)
    )


def _gpu_hours(rows: Sequence[UseRow], use: TimeUse) -> float | None:
    known = [row.gpu_ms_by_use[use.value] for row in rows if row.gpu_ms_by_use is not None]
    return sum(known) / HOUR_MS if known else None


def _intervals(spent: Sequence[Sequence[int]], rows: Sequence[UseRow]) -> list[tuple[float, float]]:
    walls = np.array([row.wall_ms for row in rows], dtype=np.float64)
    return bootstrap_ratios(np.array(spent, dtype=np.float64), walls)


def _hours(rows: Sequence[HourRow], *, now: datetime) -> list[HourShare]:
    """Return the shares of each hour that is over, from the first to the last.

    Gaps are None, never zero.
    """
    if not rows:
        return []
    by_hour = {row.hour: row for row in rows}
    found, productive, wall = [], 0, 0
    at, last = rows[0].hour, rows[-1].hour
    while at <= last and at + timedelta(hours=1) <= now:
        row = by_hour.get(at)
        productive += row.productive_ms if row else 0
        wall += row.wall_ms if row else 0
        found.append(
            HourShare(
                ends_at=at + timedelta(hours=1),
                cumulative=productive / wall if wall else None,
                hour=row.productive_ms / row.wall_ms if row and row.wall_ms else None,
            )
        )
        at += timedelta(hours=1)
    return found
