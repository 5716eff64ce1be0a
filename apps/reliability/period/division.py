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
HOUR = timedelta(hours=1)


def time_division(facts: PeriodFacts, *, expected_ettr: float | None) -> TimeDivision:
    """Return the time of all sessions of which steps are known, whole milliseconds."""
    rows = facts.uses
    told = {row.session for row in rows}
    scope = facts.scope
    within = facts.attempts_in(scope.starts_at, scope.ends_at)
    # All of them from one bootstrap: drawing sessions anew for each takes longer than the rest.
    uses = (*((each,) for each in TimeUse), KEPT)
    *figures, ettr = share_figures(rows, uses, absence=missing(facts))
    shares = use_shares(rows, figures)
    untold = [each for each in within if each.times.session not in told]
    seconds = sum(each.seconds_in(scope.starts_at, scope.ends_at) for each in untold)
    return TimeDivision(
        wall_ms=sum(row.wall_ms for row in rows) if rows or facts.reads_measures else None,
        uses=shares,
        goodput=figures[[*TimeUse].index(TimeUse.PRODUCTIVE)],
        ettr=ettr,
        expected_ettr=expected_ettr,
        hours=tuple(_hours(facts.hours, now=facts.now)),
        reference_shares=REFERENCE_SHARES,
        unsure_count=sum(bool(each.measure and each.measure.is_unsure) for each in within),
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
    return share_figures(rows, (uses,), absence=absence)[0]


def share_figures(
    rows: Sequence[UseRow], shares: Sequence[Sequence[TimeUse]], *, absence: Absence
) -> list[Figure]:
    """Return the same of several shares, of the same draws."""
    wall = sum(row.wall_ms for row in rows)
    if not wall:
        return [absent(absence) for _ in shares]
    spent = [[sum(row.by_use[use.value] for use in uses) for uses in shares] for row in rows]
    intervals: Sequence[tuple[float, float] | None] = (
        _intervals(spent, rows) if len(rows) > 1 else [None] * len(shares)
    )
    sessions = counted(CountedKind.SESSIONS, [row.session for row in rows])
    return [
        Figure(value=sum(took) / wall, n=len(rows), interval=interval, counted=sessions)
        for took, interval in zip(zip(*spent, strict=True), intervals, strict=True)
    ]


def use_shares(rows: Sequence[UseRow], figures: Sequence[Figure]) -> tuple[UseShare, ...]:
    """Return what each use took, with its share; together they are the wall clock of the rows."""
    if not any(row.wall_ms for row in rows):
        return ()
    return tuple(
        UseShare(
            use=use.value,
            milliseconds=sum(row.by_use[use.value] for row in rows),
            gpu_hours=_gpu_hours(rows, use),
            share=share,
        )
        for use, share in zip(TimeUse, figures, strict=True)
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
    found: list[HourShare] = []
    productive = wall = 0
    ends_at = rows[0].hour + HOUR
    for row in rows:
        while ends_at <= row.hour and ends_at <= now:
            found.append(_hour(ends_at, productive, wall, None))
            ends_at += HOUR
        if ends_at > now:
            break
        productive += row.productive_ms
        wall += row.wall_ms
        found.append(_hour(ends_at, productive, wall, row))
        ends_at += HOUR
    return found


def _hour(ends_at: datetime, productive: int, wall: int, row: HourRow | None) -> HourShare:
    return HourShare(
        ends_at=ends_at,
        cumulative=productive / wall if wall else None,
        hour=row.productive_ms / row.wall_ms if row and row.wall_ms else None,
    )
