"""What a part answers for is one table, for the page that offers it and for who is told."""

import pytest

from apps.fleet.models import ParticipationRole
from apps.fleet.parties.participants import USUAL_LAYERS, answered_layers


@pytest.mark.parametrize("part", list(ParticipationRole))
def test_who_is_told_is_who_was_shown_to_answer(part: ParticipationRole) -> None:
    assert answered_layers(parts=[part], layers=[]) == frozenset(USUAL_LAYERS[part])


def test_named_layers_take_the_place_of_the_usual_ones() -> None:
    assert answered_layers(parts=[ParticipationRole.OPERATOR], layers=["gpu"]) == {"gpu"}
