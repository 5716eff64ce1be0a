"""From an incident to its line in the whole log, and from the line to the incident."""

from copy import deepcopy

import pytest

from apps.incidents.models import EvidenceItem
from apps.telemetry.facade.held_logs import key_of_stream
from apps.telemetry.retention.citation_keys import line_place
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import actor
from tests.cast.standing import standing
from tests.cast.stopped_session import Story, stopped_by_a_gpu
from tests.web.conftest import Browser

stopped = standing(stopped_by_a_gpu)


@pytest.fixture
def story(stopped: Story, db: None) -> Story:
    """A session that a GPU stopped, told by two parties."""
    return deepcopy(stopped)


def cited(owner: Organization) -> tuple[str, int]:
    """Return the log and number of a line that an explanation rests on."""
    with organization_scope(owner.pk):
        items = EvidenceItem.objects.for_organization(owner).filter(reference__startswith="stream:")
        place = line_place(reference=items.order_by("id")[0].reference)
        assert place is not None
        key = key_of_stream(actor=actor(owner), stream_id=place[0])
    assert key is not None
    return key, place[1]


def test_a_cited_line_names_its_incident_in_the_whole_log(story: Story, browser: Browser) -> None:
    owner = story.people.operator
    key, number = cited(owner)
    page = browser(owner).get(f"/o/{owner.slug}/logs/{key}/?line={number}").content.decode()
    assert f"/o/{owner.slug}/incidents/{story.incident().public_id}/#timeline" in page


def test_the_lines_around_a_citation_lead_to_the_whole_log(story: Story, browser: Browser) -> None:
    owner = story.people.operator
    key, number = cited(owner)
    base = f"/o/{owner.slug}/incidents/{story.incident().public_id}/lines/"
    page = browser(owner).get(f"{base}?stream=kernel&host=gpu001&line={number}").content.decode()
    assert f"/o/{owner.slug}/logs/{key}/?line={number}#line-{number}" in page


def test_who_did_not_send_the_log_finds_neither_log_nor_line(
    story: Story, browser: Browser
) -> None:
    key, number = cited(story.people.operator)
    for other in (story.people.tenant, make.organization()):
        answer = browser(other).get(f"/o/{other.slug}/logs/{key}/?line={number}")
        assert answer.status_code == 404
