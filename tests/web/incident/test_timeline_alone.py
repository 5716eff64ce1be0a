"""The timeline alone, as an open page asks for it: what the page of the same address shows."""

import pytest

from apps.incidents.models import Incident
from apps.incidents.states import IncidentStatus
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import address, page

pytestmark = pytest.mark.django_db
STOP = int(make.AT.timestamp())
BEGIN = '<section class="card" id="timeline-card"'


def card(text: str) -> str:
    """Return the timeline of a page."""
    begin = text.index(BEGIN)
    return text[begin : text.index("</section>", begin)]


@pytest.mark.parametrize(
    "query",
    ["", "?group=party", "?group=list", "?span=2h", f"?span={STOP - 9}-{STOP + 9}&group=party"],
)
def test_it_is_what_the_page_shows(
    cast: Cast, incident: Incident, browser: Browser, query: str
) -> None:
    reader = browser(cast.tenant)
    alone = page(reader, cast.tenant, incident, f"timeline/{query}")
    assert card(alone) == card(page(reader, cast.tenant, incident, query))
    assert "<html" not in alone


def test_what_is_another_partys_stays_there(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    query = "timeline/?group=list&all=1"
    own = page(browser(cast.operator), cast.operator, incident, query)
    other = page(browser(cast.tenant), cast.tenant, incident, query)
    assert "OPERATOR-MOMENT" in own
    assert "OPERATOR-MOMENT" not in other
    assert "TENANT-MOMENT" in other


def test_it_is_not_there_for_who_is_no_party(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    path = address(cast.stranger, incident) + "timeline/"
    assert browser(cast.stranger).get(path).status_code == 404
    path = address(cast.tenant, incident) + "timeline/"
    assert browser(cast.tenant).get(path).status_code == 200
    assert browser(cast.stranger).get(path).status_code == 404


@pytest.mark.parametrize("part", ["", "timeline/"])
def test_what_was_joined_with_another_leads_there_as_it_was_asked(
    cast: Cast, incident: Incident, browser: Browser, part: str
) -> None:
    with organization_scope(*cast.ids):
        joined = stop_of(cast, attempt_of(cast, cast.tenant))
        Incident.objects.filter(pk=joined.pk).update(
            status=IncidentStatus.MERGED, merged_into=incident
        )
    answer = browser(cast.tenant).get(address(cast.tenant, joined) + f"{part}?group=list&span=2h")
    assert answer.status_code == 302
    assert answer["Location"] == address(cast.tenant, incident) + f"{part}?group=list&span=2h"
