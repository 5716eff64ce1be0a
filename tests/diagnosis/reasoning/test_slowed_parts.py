"""A part that was told to be slowed down long before explains what was slow until the failure."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.diagnosis.model import Layer, Observation, Role, Stream
from apps.diagnosis.reasoning.findings.slowed_parts import LASTS, derive
from tests.diagnosis.events import event

START = datetime(2026, 3, 5, 8, 0, tzinfo=UTC)
FAILED = START + timedelta(hours=3)
NOBODY: frozenset[str] = frozenset()


def _risen(rise: str = "large") -> Observation:
    return Observation(
        sign="finding:slow-until-failed",
        role=Role.INITIATING,
        layer=Layer.STRAGGLER,
        fields={"rise": rise},
        events=(event("nemo-step"),),
    )


def _slowed(
    minutes: float,
    *,
    cause: str = "gpu-throttling",
    standing: str = "old",
    begin: datetime = START,
) -> Observation:
    told = event("gpu-slow-words", at=START, stream=Stream.KERNEL, host="n07")
    return Observation(
        sign=told.signature,
        role=Role.INITIATING,
        layer=Layer.GPU,
        causes=(cause,),
        at=begin + timedelta(minutes=minutes),
        host="n07",
        events=(told,),
        standing=standing,
    )


def _found(
    *told: Observation,
    started_at: datetime | None = START,
    suspects: frozenset[str] = NOBODY,
) -> list[tuple[str, str | None]]:
    found = derive(observations=told, started_at=started_at, failed_at=FAILED, suspects=suspects)
    return [(one.sign.removeprefix("finding:"), one.host) for one in found]


@pytest.mark.parametrize(
    ("cause", "how"), [("gpu-throttling", "throttled"), ("cpu-starvation", "stuck")]
)
def test_a_slowed_part_explains_steps_that_stayed_slow_or_a_host_that_others_waited_for(
    cause: str, how: str
) -> None:
    assert _found(_risen(), _slowed(20, cause=cause)) == [(f"slower-since-{how}", "n07")]
    shortly = _slowed(-20, cause=cause, begin=FAILED)
    assert _found(shortly, suspects=frozenset({"n07"})) == [(f"missed-since-{how}", "n07")]


@pytest.mark.parametrize(
    "told",
    [
        (_risen(), _slowed(-20)),
        (_risen("small"), _slowed(20)),
        (_slowed(20),),
        (_risen(), _slowed(20, standing="joined")),
        (_risen(), _slowed(20, cause="gpu-off-bus")),
    ],
)
def test_heat_before_the_session_or_without_slow_steps_explains_nothing(
    told: tuple[Observation, ...],
) -> None:
    assert _found(*told) == []
    assert _found(*told, started_at=None) == []


def test_a_part_of_another_host_or_one_slowed_too_long_ago_was_not_waited_for() -> None:
    shortly, long_ago = _slowed(-20, begin=FAILED), _slowed(-1, begin=FAILED - LASTS)
    assert _found(shortly, suspects=frozenset({"n08"})) == []
    assert _found(long_ago, suspects=frozenset({"n07"})) == []
