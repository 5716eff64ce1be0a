"""The drill's fairness: each party is given what it sends in the demo, and nothing of another."""

from itertools import combinations

import pytest

from apps.diagnosis.model import Stream
from tests.score.drill import card
from tests.score.drill.answers import TOGETHER, answers
from tests.score.drill.holdings import PARTIES, STREAM_HOLDERS, MixedFault, mixed_faults


@pytest.fixture(scope="module")
def flap() -> MixedFault:
    """A link that flaps: the switch and the kernel hold the cause, the session the symptom."""
    return next(mixed_faults(seed=301, names=("port-flap",)))


def test_no_line_is_given_to_two_parties(flap: MixedFault) -> None:
    files = {
        party: {(each.origin.stream, each.origin.source) for each in readings}
        for party, readings in flap.readings.items()
    }
    assert all(files[party] for party in ("tenant", "operator", "platform", "network vendor"))
    assert not any(files[one] & files[other] for one, other in combinations(PARTIES, 2))
    assert all(
        {told for told, _ in files[party]} <= {Stream(stream)}
        for stream, party in STREAM_HOLDERS.items()
    )


def test_metrics_are_the_operators_and_the_storage_vendors(flap: MixedFault) -> None:
    assert {party for party, frames in flap.frames.items() if frames} == {
        "operator",
        "storage vendor",
    }


def test_all_together_name_what_the_operator_alone_does_not(flap: MixedFault) -> None:
    said = {each.party: each for each in answers(fault=flap)}
    assert said[TOGETHER].is_right
    assert not said["operator"].is_right
    assert "| port-flap, link-down |" in card.section(list(said.values()))
