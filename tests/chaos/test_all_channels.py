"""200 generated incidents, six parties, three presets: every channel tells the same facts.

Half an hour on two free cores; `PORTAL_EQUAL_INCIDENTS=20` for fewer. Some incidents under a preset
are a test, so that several run beside each other: `python -m tests.score.sharing equality` (with
`WORKERS=4`) writes what was compared into docs/scorecard.md.
"""

import os
from collections.abc import Callable
from typing import Final

import pytest

from apps.incidents.models import Incident
from tests.contracts.equal_channels.channels import Party, readers_in
from tests.contracts.equal_channels.comparison import differences
from tests.contracts.equal_channels.generated import PRESETS, generated_incident, generated_world
from tests.contracts.equal_channels.remembered import one_reading_of_a_party, remembered_answers

COUNT: Final = int(os.environ.get("PORTAL_EQUAL_INCIDENTS", "200"))
SOME: Final = 25  # what one world is made for


@pytest.mark.django_db
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("first", range(0, COUNT, SOME))
def test_every_channel_tells_the_same_facts_of_all_incidents(
    first: int, preset: str, record_property: Callable[[str, object], None]
) -> None:
    world = generated_world(preset)
    readers = readers_in(world)
    incidents = {
        seed: generated_incident(world, seed=seed)
        for seed in range(first, min(first + SOME, COUNT))
    }
    record_property("counted", len(incidents) * len(readers))
    with remembered_answers():
        assert {
            (seed, number): told
            for seed, incident in incidents.items()
            for number, reader in enumerate(readers)
            if (told := _differences(incident, reader))
        } == {}


def _differences(incident: Incident, reader: Party) -> list[str]:
    with one_reading_of_a_party():
        return differences(incident=incident, reader=reader)
