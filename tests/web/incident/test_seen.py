"""An open page asks whether it shows everything: that is answered without reading its story."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.incidents.models import Incident
from apps.incidents.timeline import append
from apps.sharing import agreement_acts as acts
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import EVENTS, of
from tests.cast import make
from tests.cast.agreements import admin_of, agreed
from tests.cast.incidents import Cast, telling
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import address, page


def seen_by(client: Client, reader: Organization, incident: Incident) -> dict[str, str]:
    shown = page(client, reader, incident)
    return {"seen": shown.split('data-seen="')[1].split('"')[0]}


def test_what_is_shown_by_an_agreement_is_seen_until_it_is_revoked(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    made = agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator))
    client, there = browser(cast.tenant), address(cast.tenant, incident)
    seen = seen_by(client, cast.tenant, incident)
    assert client.get(there, seen).status_code == 204

    told = admin_of(cast.operator, now=make.AT)
    with organization_scope(cast.operator.pk):
        acts.revoke(actor=told.actor, agreement=made, number=1, reason="over", context=told)

    answer = client.get(there, seen)
    assert answer.status_code == 200
    assert "OPERATOR-MOMENT" not in answer.content.decode()


@pytest.mark.parametrize("who", ["tenant", "operator"])
def test_a_new_moment_is_news_to_who_may_read_it_alone(
    cast: Cast, incident: Incident, browser: Browser, who: str
) -> None:
    clients = {each: browser(getattr(cast, each)) for each in ("tenant", "operator")}
    seen = {
        each: seen_by(client, getattr(cast, each), incident) for each, client in clients.items()
    }
    with organization_scope(*cast.ids):
        append(incident=incident, tellings=[telling(getattr(cast, who), "NEW")], now=make.AT)

    for each, client in clients.items():
        answer = client.get(address(getattr(cast, each), incident), seen[each])
        assert answer.status_code == (200 if each == who else 204)


def test_of_a_long_story_nothing_is_read_to_say_that_nothing_is_new(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    many = [
        telling(cast.tenant, f"moment {n}", at=make.AT + timedelta(seconds=n)) for n in range(300)
    ]
    with organization_scope(*cast.ids):
        append(incident=incident, tellings=many, now=make.AT)
    client = browser(cast.tenant)
    seen = seen_by(client, cast.tenant, incident)

    with CaptureQueriesContext(connection) as asked:
        assert client.get(address(cast.tenant, incident), seen).status_code == 204

    story = [each["sql"] for each in asked if "incidents_timelineentry" in each["sql"]]
    assert len(story) == 1
    assert "MAX" in story[0]


def test_what_its_own_scripts_ask_for_is_known(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client = browser(cast.tenant)
    for query in (
        "?seen=old&notes=old&diagnosis=old&group=party&span=2h",
        "annotations/changes/?seen=old&group=party&span=2h&all=1",
    ):
        page(client, cast.tenant, incident, query)
        # A part of a page shows no messages: they would wait for whatever page comes next.
        assert "so it changed nothing" not in page(client, cast.tenant, incident)
    assert "so it changed nothing" in page(client, cast.tenant, incident, "?sene=old")
