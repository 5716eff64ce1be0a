"""Page, REST, files, open pages and messages tell one party the same facts of an incident.

A sample of what tests/chaos/test_all_channels.py compares in full.
"""

import pytest

from apps.incidents.models import Incident
from tests.cast.standing import standing
from tests.contracts.equal_channels.channels import Party, readers_in
from tests.contracts.equal_channels.comparison import differences
from tests.contracts.equal_channels.generated import (
    PRESETS,
    generated_incident,
    generated_world,
)

pytestmark = pytest.mark.sweep

# A stop of one tenant, and what hit two.
SEEDS = {"closed": (0,), "joint-operations": (0, 1), "open-book": (1,)}
Built = tuple[str, dict[int, Incident], tuple[Party, ...]]
# Whether vendors read of sessions; in joint operations of those that their own layer stopped.
SESSIONS = {"closed": {False}, "joint-operations": {False, True}, "open-book": {True}}


def _built(preset: str) -> Built:
    world = generated_world(preset)
    incidents = {seed: generated_incident(world, seed=seed) for seed in SEEDS[preset]}
    return preset, incidents, readers_in(world)


built = standing(_built, params=PRESETS, ids=PRESETS)


@pytest.mark.django_db
def test_every_channel_tells_the_same_facts(built: Built) -> None:
    _, incidents, readers = built
    assert {
        (seed, reader.organization.slug): found
        for seed, incident in incidents.items()
        for reader in readers
        if (found := differences(incident=incident, reader=reader))
    } == {}


@pytest.mark.django_db
def test_what_is_compared_is_rich(built: Built) -> None:
    # Else the test above would pass on empty incidents.
    preset, incidents, readers = built
    told = [reader.rest(incident) for incident in incidents.values() for reader in readers[:3:2]]
    words = frozenset[str]().union(*(each.words("ev", "mo", "no", "li") for each in told))
    vendors = [reader.rest(incident) for incident in incidents.values() for reader in readers[4:]]
    assert {word[:2] for word in words} == {"ev", "mo", "no", "li"}
    assert any(each.shared_sessions for each in vendors) in SESSIONS[preset]
