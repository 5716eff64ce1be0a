"""A few bodies of each kind cost no more than their size excuses, or are refused.

All of them, some minutes of processor time, run with `make chaos`.
"""

import pytest

from tests.contracts.amplification.bodies import ATTEMPTS
from tests.contracts.amplification.cost import faults, measured

EACH = 1
LONG = {"worker", "wide table", "pickle", "remote_write 1", "tar", "records"}  # seconds each
KINDS = sorted({name.partition(",")[0] for name in ATTEMPTS} - LONG)


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_costs_no_more_than_its_size_excuses_or_is_refused(kind: str) -> None:
    names = [name for name in ATTEMPTS if name.startswith(f"{kind},")]
    costs = list(measured(names=names[:EACH]))
    assert costs
    assert [each for cost in costs for each in faults(attempt=ATTEMPTS[cost.name], cost=cost)] == []
