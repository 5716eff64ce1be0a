"""No body costs more than its size excuses, whatever it holds: it is taken in bounds, or refused.

`python -m tests.contracts.amplification --table` prints the same attempts as a table.
"""

import pytest

from tests.contracts.amplification.bodies import ATTEMPTS
from tests.contracts.amplification.cost import Cost, faults, measured

KINDS = sorted({name.partition(",")[0] for name in ATTEMPTS})


def costs_of(kind: str) -> list[Cost]:
    """Return what the attempts of a kind cost."""
    return list(measured(names=[name for name in ATTEMPTS if name.startswith(f"{kind},")]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_costs_no_more_than_its_size_excuses_or_is_refused(kind: str) -> None:
    costs = costs_of(kind)
    assert costs
    assert [each for cost in costs for each in faults(attempt=ATTEMPTS[cost.name], cost=cost)] == []


def test_what_honest_senders_send_is_taken_up_to_the_size_that_is_said() -> None:
    honest = [name for name in ATTEMPTS if "honest" in name and "metrics json" not in name]
    assert len(honest) > 10
    refused = [cost for cost in measured(names=honest) if not cost.answer.startswith("taken")]
    assert refused == []
