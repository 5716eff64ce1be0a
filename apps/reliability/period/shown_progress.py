"""What other parties show of how their sessions get on, read as one's own is."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from apps.fleet.sessions.attempt_times import AttemptTimes
from apps.incidents.projection.shared.shared_progress import ProgressAccess, ShownProgress
from apps.incidents.projection.shared_values import SharedAs
from apps.reliability.period.facts import AttemptPace, HourRow, MeasuredAttempt, UseRow
from apps.reliability.period.measured import (
    MeasuredSessions,
    hour_rows,
    measured_attempts,
    measured_until,
    paces_of,
    use_rows,
)
from apps.reliability.period.scopes import PeriodScope
from apps.sharing.terms import Level
from apps.training.economics.timelines import TimeUse

OF_SAVES: Final = (TimeUse.LOST_PROGRESS, TimeUse.RESTORE, TimeUse.SAVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodProgress:
    """What is known of how sessions got on, of one holder or of several together."""

    measures: Mapping[int, MeasuredAttempt] = field(default_factory=dict)
    uses: Sequence[UseRow] = ()
    uses_before: Sequence[UseRow] = ()
    hours: Sequence[HourRow] = ()
    paces: Sequence[AttemptPace] = ()
    until: datetime | None = None
    shown: Mapping[str, SharedAs] = field(default_factory=dict)  # session → by whom


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedProgress:
    """Of which days progress is read, and since when the time before is counted."""

    scope: PeriodScope
    before: datetime
    attempts: Collection[int] | None = None  # only what these did; None: all
    with_times: bool = True  # what the time went into, hour by hour


def read_progress(
    *, of: MeasuredSessions, asked: AskedProgress, measured: Collection[int]
) -> PeriodProgress:
    """Return what was measured of one holder's sessions. Needs the holder's scope."""
    kept = measured if asked.attempts is None else {*measured} & {*asked.attempts}
    measures = measured_attempts(organization_id=of.organization_id, attempt_ids=kept)
    if not asked.with_times:
        return PeriodProgress(measures=measures)
    scope = asked.scope
    uses, uses_before = use_rows(of=of, scope=scope, before=asked.before)
    return PeriodProgress(
        measures=measures,
        uses=uses,
        uses_before=uses_before,
        hours=hour_rows(of=of, scope=scope),
        paces=paces_of(of=of, scope=scope),
        until=measured_until(of=of, scope=scope),
    )


def shown_progress(
    *, access: ProgressAccess, asked: AskedProgress, times: Sequence[AttemptTimes]
) -> list[PeriodProgress]:
    """Return what others show, and hand it out. As a signal nothing of saves and of what was lost:
    the time, and how fast steps were made.
    """
    found = []
    for holder in access.holders:
        own = [each for each in times if each.owner_id == holder.shared.holder.id]
        if own:
            with access.held_by(holder):
                told = _read(holder, own, asked)
            _hand_out(access, holder, own, told)
            found.append(told)
    return found


def _read(
    holder: ShownProgress, own: Sequence[AttemptTimes], asked: AskedProgress
) -> PeriodProgress:
    ids = {each.id for each in own}
    of = MeasuredSessions(
        organization_id=holder.shared.holder.id, attempt_ids=ids, since=holder.since
    )
    kept = {each.id for each in own if holder.since is None or each.started_at >= holder.since}
    is_whole = tells_saves(holder.shared)
    read = read_progress(of=of, asked=asked, measured=kept if is_whole else ())
    if not is_whole:
        read = replace(
            read,
            uses=[_without_saves(each) for each in read.uses],
            uses_before=[_without_saves(each) for each in read.uses_before],
        )
    return replace(read, shown={each.session: holder.shared for each in own})


def _without_saves(row: UseRow) -> UseRow:
    """Return what a session did, with what saves and stops cost it among what is not known."""
    of_gpus = row.gpu_ms_by_use
    return replace(
        row,
        by_use=_folded(row.by_use),
        gpu_ms_by_use=None if of_gpus is None else _folded(of_gpus),
    )


def _folded(spent: Mapping[str, int]) -> Mapping[str, int]:
    hidden = sum(spent[each.value] for each in OF_SAVES)
    unknown = spent[TimeUse.UNKNOWN.value] + hidden
    return {
        **spent,
        **dict.fromkeys((each.value for each in OF_SAVES), 0),
        TimeUse.UNKNOWN.value: unknown,
    }


def tells_saves(shared: SharedAs) -> bool:
    """Say whether saves and what was lost are shown: more than a signal."""
    return shared.level.rank >= Level.REDACTED.rank


def _hand_out(
    access: ProgressAccess, holder: ShownProgress, own: Sequence[AttemptTimes], told: PeriodProgress
) -> None:
    """Hand out each session once, with all that is told of it."""
    facts: defaultdict[str, list[object]] = defaultdict(list)
    for use in (*told.uses, *told.uses_before):
        facts[use.session].append(sorted(use.by_use.items()))
    for pace in told.paces:
        facts[pace.session].append([pace.step_seconds, pace.tokens_per_second])
    for each in own:
        measure = told.measures.get(each.id)
        if measure is not None:
            facts[each.session].append([each.number, measure.last_step, measure.saved_step])
    for session, said in sorted(facts.items()):
        access.hand_out(holder, session, said)


def together(parts: Iterable[PeriodProgress]) -> PeriodProgress:
    """Return the progress of several holders as one."""
    every = list(parts)
    ends = [each.until for each in every if each.until is not None]
    return PeriodProgress(
        measures={key: row for each in every for key, row in each.measures.items()},
        uses=[row for each in every for row in each.uses],
        uses_before=[row for each in every for row in each.uses_before],
        hours=_summed(row for each in every for row in each.hours),
        paces=[row for each in every for row in each.paces],
        until=max(ends, default=None),
        shown={name: shared for each in every for name, shared in each.shown.items()},
    )


def _summed(rows: Iterable[HourRow]) -> list[HourRow]:
    by_hour: defaultdict[datetime, list[HourRow]] = defaultdict(list)
    for row in rows:
        by_hour[row.hour].append(row)
    return [
        HourRow(
            hour=hour,
            productive_ms=sum(row.productive_ms for row in same),
            wall_ms=sum(row.wall_ms for row in same),
        )
        for hour, same in sorted(by_hour.items())
    ]
