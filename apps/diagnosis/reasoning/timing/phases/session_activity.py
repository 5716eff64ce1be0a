"""What the session was doing when it stopped."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import Observation, Phase
from apps.diagnosis.reasoning.timing.phases.words import BEGINS, STEPS

# A rank prints a step a moment after the others began to wait behind it.
LATE_STEP = timedelta(seconds=5)
# Who sets up prints a line more often than this: who printed none for so long, and made steps
# later, had set up.
SETTING_UP = timedelta(minutes=2)
# How far a session has come: its ranks set up together, and often only one of them prints steps.
ORDER = tuple(Phase)


def phase(*, observations: Sequence[Observation], failed_at: datetime | None) -> Phase:
    """Return the phase of the last progress before the failure, of whichever rank.

    In one log the last line counts. Of several logs the later one does where both print times,
    else the one that has come further: their line numbers have nothing to do with each other.
    """
    last = _last_of_each_log(observations, failed_at)
    timed = [(at, shown) for at, shown in last if at is not None]
    found = [shown for at, shown in last if at is None]
    if timed:
        at, shown = max(timed, key=lambda one: (one[0], ORDER.index(one[1])))
        is_setting_up = ORDER.index(shown) < ORDER.index(Phase.ITERATE)
        has_set_up = is_setting_up and _stepped_on(observations, failed_at, set_up_at=at)
        found.append(Phase.ITERATE if has_set_up else shown)
    return max(found, key=ORDER.index, default=Phase.UNKNOWN)


def _last_of_each_log(
    observations: Sequence[Observation], failed_at: datetime | None
) -> list[tuple[datetime | None, Phase]]:
    """Return what each log showed last before the failure, and when."""
    last: dict[str, tuple[int, datetime | None, Phase]] = {}
    for one in observations:
        shown = _shown(one)
        if shown is None or (one.at and failed_at and one.at - one.error - LATE_STEP > failed_at):
            continue
        for source, number in (event.order_key for event in one.events):
            if source not in last or number > last[source][0]:
                last[source] = (number, one.last_at, shown)
    return [(at, shown) for _, at, shown in last.values()]


def _stepped_on(
    observations: Sequence[Observation], failed_at: datetime | None, *, set_up_at: datetime
) -> bool:
    """Say whether steps after the failure are of what was set up before it.

    Of steps only the latest of each voice is kept: of a session that lived on for a while it stands
    behind the failure, and none before it.
    """
    if failed_at is None or failed_at - set_up_at < SETTING_UP:
        return False
    step_at = last_step_at(observations=observations)
    again = (
        one
        for one in observations
        if one.at and one.last_at and one.last_at > failed_at and _sets_up(one)
    )
    return step_at is not None and step_at > failed_at and not any(again)


def _sets_up(one: Observation) -> bool:
    shown = _shown(one)
    return shown is not None and ORDER.index(shown) < ORDER.index(Phase.ITERATE)


def last_step_at(*, observations: Sequence[Observation]) -> datetime | None:
    """Return when the session made its last step, at the earliest."""
    made = (one.last_at - one.error for one in observations if one.sign in STEPS and one.last_at)
    return max(made, default=None)


def _shown(one: Observation) -> Phase | None:
    return Phase.ITERATE if one.sign in STEPS else BEGINS.get(one.sign)
