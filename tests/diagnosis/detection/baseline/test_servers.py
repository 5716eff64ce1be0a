"""The generated servers, and what is found on them beside what the plain rule finds."""

import numpy as np
import pytest

from tests.score import servers
from tests.score.pages import spans
from tests.score.server_world import INCIDENTS, KINDS, server


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_is_a_function_of_its_seed_with_incidents_only_in_what_is_judged(
    kind: str,
) -> None:
    one, same, other = server(kind, 1), server(kind, 1), server(kind, 2)

    assert np.array_equal(one.test, same.test)
    assert not np.array_equal(one.test, other.test)
    assert len(spans(one.label)) == INCIDENTS
    assert np.vstack([one.train, one.test]).min() == 0
    assert np.vstack([one.train, one.test]).max() == 1


def test_more_is_found_than_by_the_plain_rule_on_every_kind_of_server() -> None:
    rows = servers.part(seeds=(1, 2))

    assert [row.name for row in rows if not row.is_met] == []
    assert sum(row.at_least is not None for row in rows) == 3 * len(KINDS)
