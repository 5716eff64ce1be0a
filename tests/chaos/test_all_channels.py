"""200 generated incidents, six parties, three presets: every channel tells the same facts.

Three quarters of an hour on a free core; `PORTAL_EQUAL_INCIDENTS=20` for fewer. It writes what it
compared into docs/scorecard.md.
"""

import os

import pytest

from tests.contracts.equal_channels.channels import readers_in
from tests.contracts.equal_channels.comparison import compared, differences
from tests.contracts.equal_channels.generated import (
    PRESETS,
    generated_incident,
    generated_world,
    under,
)
from tests.score import sections

COUNT = int(os.environ.get("PORTAL_EQUAL_INCIDENTS", "200"))


@pytest.mark.django_db
def test_every_channel_tells_the_same_facts_of_all_incidents() -> None:
    # Incidents are written once: what changes between the presets is what the parties agreed on.
    world = generated_world(PRESETS[0])
    readers = readers_in(world)
    incidents = [generated_incident(world, seed=seed) for seed in range(COUNT)]
    found: dict[tuple[int, str, int], list[str]] = {}
    for preset in PRESETS:
        under(world, preset)
        found |= {
            (seed, preset, number): told
            for seed, incident in enumerate(incidents)
            for number, reader in enumerate(readers)
            if (told := differences(incident=incident, reader=reader))
        }
    sections.put("equality", compared(count=COUNT, differing=len(found)))
    assert found == {}
