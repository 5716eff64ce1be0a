"""What a session was doing that lived on for a while: of its steps only the latest is kept."""

from datetime import datetime

import pytest

from apps.diagnosis.model import Observation, Phase, Role
from apps.diagnosis.reasoning.timing import phases
from tests.diagnosis.events import after, event


def told(sign: str, *, at: datetime, rank: int = 0, number: int = 1) -> Observation:
    """Return what one rank printed once."""
    one = event(sign, at=at, rank=rank, number=number, role=Role.PROGRESS)
    return Observation(sign=sign, role=Role.PROGRESS, layer=None, at=at, last_at=at, events=(one,))


def connected(seconds: float, *, rank: int = 0) -> Observation:
    return told("nccl-init-complete", at=after(seconds), rank=rank, number=int(seconds) + 1)


def stepped(seconds: float) -> Observation:
    return told(min(phases.STEPS), at=after(seconds), number=int(seconds) + 1)


@pytest.mark.parametrize(
    ("observations", "expected"),
    [
        ([connected(20), connected(25, rank=1), stepped(900)], Phase.ITERATE),
        ([connected(20), connected(760), stepped(900)], Phase.INIT),  # set up again behind it
        ([connected(20), connected(700), stepped(900)], Phase.INIT),  # set up just before it
        ([connected(20), connected(25, rank=1)], Phase.INIT),  # never made a step
    ],
    ids=["went on", "again", "just before", "no step"],
)
def test_steps_behind_the_failure_count_where_nothing_set_up_again(
    observations: list[Observation], expected: Phase
) -> None:
    assert phases.phase(observations=observations, failed_at=after(735)) is expected
