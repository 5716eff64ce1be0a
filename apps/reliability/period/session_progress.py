"""How each session got on: its share of productive time, and its pace."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from apps.reliability.period.facts import AttemptPace, PeriodFacts
from apps.reliability.period.values import SessionProgress
from apps.training.economics.timelines import TimeUse


def session_progress(facts: PeriodFacts) -> tuple[SessionProgress, ...]:
    """Return the sessions of which any step is known to the reader, the longest first."""
    paces: defaultdict[str, list[AttemptPace]] = defaultdict(list)
    for each in facts.paces:
        paces[each.session].append(each)
    found = [
        SessionProgress(
            session=row.session,
            shared=facts.shown.get(row.session),
            wall_ms=row.wall_ms,
            productive_ms=row.by_use[TimeUse.PRODUCTIVE.value],
            step_seconds=_median([pace.step_seconds for pace in paces[row.session]]),
            tokens_per_second=_median([pace.tokens_per_second for pace in paces[row.session]]),
            attempt_count=len(paces[row.session]),
        )
        for row in facts.uses
        if row.wall_ms
    ]
    return tuple(sorted(found, key=lambda each: (-each.wall_ms, each.session)))


def _median(told: Sequence[float | None]) -> float | None:
    known = [each for each in told if each is not None]
    return median(known) if known else None
