"""What a verdict rests on stays readable when the rest went, and the verdict stays what it was."""

from datetime import timedelta

import pytest

from apps.incidents.models import EvidenceItem
from apps.incidents.retention.citations import is_closed
from apps.telemetry.logs.raw_lines import lines_around
from apps.telemetry.models import Event, LogChunk
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import EVENTS, RAW
from tests.cast import make
from tests.cast.stopped_session import Story, stopped_by_a_gpu

AT = make.AT


@pytest.fixture
def story(db: None) -> Story:
    """A session that a GPU stopped."""
    return stopped_by_a_gpu()


def cited(organization: Organization) -> dict[str, list[str]]:
    """Return each cited line with its neighbours, as its holder opens it."""
    actor = Actor(organization=organization, rights=frozenset({Right.READ}))
    with organization_scope(organization.pk):
        references = EvidenceItem.objects.exclude(reference="").values_list("reference", flat=True)
        opened = {}
        for reference in sorted(set(references)):
            stream, _, number = reference.removeprefix("stream:").partition("/")
            lines = lines_around(actor=actor, stream_id=int(stream), number=int(number), margin=10)
            opened[reference] = [line.text for line in lines]
        return opened


def test_citations_of_an_old_verdict_still_open(story: Story) -> None:
    before = cited(story.people.operator)
    assert any("fallen off the bus" in line for lines in before.values() for line in lines)
    assert all(len(lines) == 21 for lines in before.values())

    for later in (RAW, EVENTS, 2 * EVENTS):
        story.retire(AT + later)

        assert cited(story.people.operator) == before
    with organization_scope(*story.everybody):
        assert not LogChunk.objects.exists()
        assert Event.objects.count() > 0


def test_a_verdict_whose_facts_went_is_not_looked_at_again(story: Story) -> None:
    before = story.incident()
    story.retire(AT + 2 * EVENTS)

    story.look(AT + 2 * EVENTS)

    after = story.incident()
    assert (after.status, after.layer, after.cause, after.revision) == (
        *(before.status, before.layer, before.cause, before.revision),
    )
    assert before.layer == "gpu"


def test_while_its_facts_are_there_a_verdict_is_looked_at_again(story: Story) -> None:
    before = story.incident()
    late = AT + timedelta(days=3)
    with organization_scope(*story.everybody):
        Event.objects.filter(organization=story.people.operator).delete()

    story.look(late)

    assert story.incident().revision > before.revision
    assert not is_closed(incident=story.incident(), now=late)


def test_an_incident_that_has_not_settled_is_never_closed(story: Story) -> None:
    incident = story.incident()
    assert is_closed(incident=incident, now=AT + EVENTS)

    incident.settled_at = None

    assert not is_closed(incident=incident, now=AT + EVENTS)
