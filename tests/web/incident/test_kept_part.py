"""An open page that is told of an act keeps what no act changes, while that is what there is."""

import re

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.incidents.models import Incident
from apps.sharing import agreement_acts as acts
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import EVENTS, of
from tests.cast import make
from tests.cast.agreements import admin_of, agreed
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import address, page

KEPT = {"metrics-part", "hypotheses-part", "party-shares", "warned-part", "past-part"}


def shows(client: Client, reader: Organization, incident: Incident) -> dict[str, str]:
    """Return what an open page says of itself after an act of somebody else."""
    found = re.search(r'data-diagnosis="(\w+)"', page(client, reader, incident))
    assert found
    return {"seen": "before the act", "notes": "", "diagnosis": found[1]}


def left_out(
    client: Client, reader: Organization, incident: Incident, asks: dict[str, str]
) -> set[str]:
    answer = client.get(address(reader, incident), asks, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return {*re.findall(r'<section id="([\w-]+)" data-same>', answer.content.decode())}


def test_after_an_act_what_it_does_not_change_is_neither_read_nor_rendered(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client, there = browser(cast.tenant), address(cast.tenant, incident)
    asks = shows(client, cast.tenant, incident)
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(there, asks, headers={"HX-Request": "true"})
    text = answer.content.decode()
    assert {*re.findall(r'<section id="([\w-]+)" data-same>', text)} == KEPT
    assert 'id="work"' in text
    assert 'class="hypothesis ' not in text
    assert "<html" not in text
    assert not [each for each in asked if "telemetry_evidenceblock" in each["sql"]]
    # A page that was told of something else than an act does not say what it shows of it.
    assert left_out(client, cast.tenant, incident, asks | {"diagnosis": ""}) == set()


def test_a_new_diagnosis_is_shown_whole(cast: Cast, incident: Incident, browser: Browser) -> None:
    client = browser(cast.tenant)
    asks = shows(client, cast.tenant, incident)
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(revision=incident.revision + 1)
    assert left_out(client, cast.tenant, incident, asks) == set()


def test_no_page_keeps_what_is_not_shown_to_it_any_more(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    client = browser(cast.tenant)
    asks = shows(client, cast.tenant, incident)
    assert left_out(client, cast.tenant, incident, asks) == KEPT
    told = admin_of(cast.operator, now=make.AT)
    with organization_scope(cast.operator.pk):
        acts.revoke(actor=told.actor, agreement=made, number=1, reason="over", context=told)
    assert left_out(client, cast.tenant, incident, asks) == set()


def test_what_a_page_says_of_itself_tells_nothing_of_what_others_read(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    marks = {
        who.slug: shows(browser(who), who, incident)
        for who in (cast.tenant, cast.operator, cast.vendor)
    }
    assert len({each["diagnosis"] for each in marks.values()}) == 3
    asks = marks[cast.operator.slug]
    assert left_out(browser(cast.vendor), cast.vendor, incident, asks) == set()
    # Who reads nothing of it is told nothing, whatever it says.
    stranger = browser(cast.stranger)
    assert stranger.get(address(cast.stranger, incident), asks).status_code == 404
