"""A few bodies cost no more than their size excuses, or are refused: the first of each kind.

All of them, some minutes of processor time, run with `make chaos`.
"""

import pytest

from tests.contracts.amplification.bodies import ATTEMPTS
from tests.contracts.amplification.cost import faults, measured

pytestmark = pytest.mark.sweep

LONG = {"worker", "wide table", "pickle", "remote_write 1", "tar", "records"}  # seconds each
FIRST = {name.partition(",")[0]: name for name in reversed(ATTEMPTS)}
# What is said once there and read again for each of its points.
SHARED = "otlp metrics, labels of a resource"


def test_a_body_costs_no_more_than_its_size_excuses_or_is_refused() -> None:
    names = [name for kind, name in FIRST.items() if kind not in LONG]
    costs = list(measured(names=[*names, SHARED]))
    assert len(costs) == len(names) + 1
    assert [each for cost in costs for each in faults(attempt=ATTEMPTS[cost.name], cost=cost)] == []
