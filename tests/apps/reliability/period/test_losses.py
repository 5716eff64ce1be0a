"""When a sum of lost hours is at least so much, and no more is known."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from apps.reliability.period.facts import PeriodFacts
from apps.reliability.period.incident_losses import KnownLoss
from apps.reliability.period.losses import loss_total
from apps.training.economics.losses import IncidentLoss
from tests.cast.make import AT

FACTS = cast(
    "PeriodFacts", SimpleNamespace(reads_sessions=True, reads_measures=True, hides_saves=False)
)


def known(**unknown: bool) -> KnownLoss:
    """Return an incident that cost an hour of one GPU, as far as is known."""
    incident: Any = SimpleNamespace(public_id="INC-1", is_contested=False)
    loss = IncidentLoss(
        incident="INC-1",
        at=AT,
        gpus=1,
        layer="gpu",
        cause="gpu-off-bus",
        node="gpu001",
        party="Aurora",
        progress_seconds=0.0,
        downtime_seconds=3600.0,
        slow_seconds=0.0,
    )
    told = dict.fromkeys(("is_unsized", "is_partial", "is_slow_unknown", "is_unfollowed"), False)
    return KnownLoss(incident=incident, loss=loss, **{**told, "is_measured": True, **unknown})


@pytest.mark.parametrize(
    ("unknown", "is_at_least"),
    [({}, False), ({"is_unsized": True}, True), ({"is_partial": True}, True)],
)
def test_where_a_size_or_the_progress_is_unknown_the_loss_is_at_least_so_much(
    unknown: dict[str, bool], *, is_at_least: bool
) -> None:
    total = loss_total(FACTS, [known(), known(**unknown)], has_run=True)
    assert total.gpu_hours.value == total.downtime.value == 2.0
    assert total.gpu_hours.is_at_least is is_at_least
    # Downtime lacks nothing where progress alone is not known.
    assert total.downtime.is_at_least is unknown.get("is_unsized", False)
