"""What an attempt does while its members (pods, nodes) do different things."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from apps.training.lifecycle.state_table import LifecycleLane
from apps.training.lifecycle.states import LifecycleState

# An attempt is as far as its slowest member; once one has ended, the others wait for it in vain.
SLOWEST_FIRST: Final = (
    LifecycleLane.QUEUE,
    LifecycleLane.START,
    LifecycleLane.END,
    LifecycleLane.RESTARTING,
    LifecycleLane.SUSPENDED,
    LifecycleLane.DEGRADED,
    LifecycleLane.UNKNOWN,
    LifecycleLane.RUN,
)
# What is said of the job while there are members of which it is said, too.
OF_THE_JOB: Final = frozenset(
    {LifecycleLane.END, LifecycleLane.SUSPENDED, LifecycleLane.RESTARTING, LifecycleLane.DEGRADED}
)


def steps_of(
    states: Iterable[LifecycleState],
) -> Iterator[tuple[datetime, LifecycleLane, LifecycleState]]:
    """Yield (instant, lane, state that led to it) of an attempt; states are in order of time."""
    ordered = list(states)
    has_members = any(state.member for state in ordered)
    at_work: dict[str, LifecycleLane] = {}
    for state in ordered:
        lane = state.lane
        if has_members and not state.member and lane not in OF_THE_JOB:
            at_work.pop("", None)  # it goes on: the job is no longer suspended
        else:
            if lane in {
                LifecycleLane.QUEUE,
                LifecycleLane.START,
            }:  # a new member takes the place of those that ended
                at_work = {
                    key: each for key, each in at_work.items() if each is not LifecycleLane.END
                }
            at_work[state.member] = lane
        if at_work:
            yield state.at, min(at_work.values(), key=SLOWEST_FIRST.index), state
