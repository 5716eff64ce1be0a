"""What pages say of how it ended, of what is absent, and of what an address asks in vain."""

import re
from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt, Session
from apps.incidents.models import Incident
from apps.telemetry.models import Source
from apps.tenancy.scope import organization_scope
from apps.web.shell.address_filters import PARAMETERS
from apps.web.urls import urlpatterns
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.markup import one_line


def ended(cast: Cast, incident: Incident, **columns: Any) -> None:
    """Say how the incident's session ended, and what was concluded."""
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(**columns)


def read(browser: Browser, cast: Cast, place: str) -> str:
    """Return a page as the tenant reads it."""
    return browser(cast.tenant).get(f"/o/{cast.tenant.slug}/{place}").content.decode()


def test_a_session_that_finished_is_not_called_stopped_nor_told_to_restart(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    assert "n = 1" in read(browser, cast, "")
    ended(cast, incident, end_state="finished")

    page = read(browser, cast, f"incidents/{incident.public_id}/")
    assert "finished with a fault: a GPU on gpu001 fell off the bus" in page
    assert "it finished. Leave out gpu001 in the next run." in page
    assert "Restart without" not in page
    home = read(browser, cast, "")
    assert "Sessions stopped" in home
    assert "n = 0" in home
    assert "Restart without" not in home + read(browser, cast, "incidents/")


def test_where_no_node_is_known_nobody_is_said_to_be_fine(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    ended(cast, incident, culprits=[], restart={"advice": "fix-first", "exclude_hosts": []})

    page = read(browser, cast, f"incidents/{incident.public_id}/")
    assert "which node to leave out is not known" in page.replace("&#x27;", "'")
    assert "o node has to be left out" not in page


def test_what_is_possible_is_not_said_as_if_it_were_sure(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    ended(cast, incident, verdict_status="possible", probability=0.6)

    page = read(browser, cast, f"incidents/{incident.public_id}/")
    assert "stopped: possibly a GPU on gpu001 fell off the bus" in page
    assert "If you restart, leave out gpu001" in page
    assert "Nothing in the program needs to change." not in page


def test_nothing_is_called_fine_that_nobody_looked_at(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    there = f"incidents/{incident.public_id}/"
    ended(cast, incident, coverage=[{"source": "session-log", "state": "present"}])
    page = read(browser, cast, there)
    assert "Nothing in the program needs to change." in page
    assert "fabric or the storage" not in page

    ended(cast, incident, coverage=[{"source": "session-log", "state": "absent"}])
    assert "Nothing in the program" not in read(browser, cast, there)


def test_who_sends_metrics_is_not_told_that_it_holds_none(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    ended(cast, incident, coverage=[{"source": "metrics", "state": "present"}])
    there = f"/o/{cast.operator.slug}/incidents/{incident.public_id}/"
    without = browser(cast.operator).get(there).content.decode()
    with organization_scope(cast.operator.pk):
        Source.objects.create(
            organization=cast.operator,
            public_id="SRC-1",
            cluster=cast.cluster,
            kind="prometheus",
            name="site metrics",
            url="http://127.0.0.1:9",
            created_at=make.AT,
        )
    having = browser(cast.operator).get(there).content.decode()
    assert "Your organization sends no metrics of this cluster" in without
    assert "sends no metrics" not in having
    assert "none that are drawn here were kept of the blamed part" in having


def test_a_vendor_reads_whom_to_ask_for_metrics_that_others_have(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    told = {"source": "metrics", "state": "present", "held_by": "operator"}
    ended(cast, incident, coverage=[told])
    there = f"/o/{cast.vendor.slug}/incidents/{incident.public_id}/"
    page = browser(cast.vendor).get(there).content.decode()
    assert f"nothing is shown to you here: ask {cast.operator.name}." in page
    assert "No metrics source covered this session" not in page

    ended(cast, incident, coverage=[{**told, "state": "absent"}])
    page = browser(cast.vendor).get(there).content.decode()
    assert "No metrics source covered this session" in page
    assert "another party, of which nothing" not in page


def test_a_vendor_is_not_said_to_be_touched(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    home = browser(cast.vendor).get(f"/o/{cast.vendor.slug}/").content.decode()
    assert "1 that you are a party of" in home
    assert "touch you" not in home


def test_sessions_stand_in_the_order_of_the_times_that_are_shown(
    cast: Cast, browser: Browser
) -> None:
    with organization_scope(*cast.ids):
        for name, days in (("older-run", 9), ("newest-run", 1), ("middle-run", 5)):
            attempt = attempt_of(cast, cast.tenant, number=1, state="running", hosts=["gpu001"])
            Session.objects.filter(pk=attempt.session_id).update(name=name)
            Attempt.objects.filter(pk=attempt.pk).update(started_at=make.AT - timedelta(days=days))
    for place in ("sessions/", ""):
        page = read(browser, cast, place)
        order = sorted(("older-run", "newest-run", "middle-run"), key=page.index)
        # The first page names what runs in its lead, too; the list is what comes last.
        order = order if place else sorted(order, key=page.rindex)
        assert order == ["newest-run", "middle-run", "older-run"]


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("incidents/?q=gpu", "This page knows no “q”, so it changed nothing."),
        ("incidents/?stauts=open", "Is “status” meant?"),
        (
            "incidents/?sesion=x",
            "so it changed nothing. Is “session” meant?",
        ),
        ("incidents/?status=open&status=x", "The address says “status” more than once"),
        ("incidents/?status=opne", "“opne” is no status that is known: all are shown. Is “open” m"),
        ("incidents/?status=OPEN", "Is “open” meant?"),
        ("incidents/?status=x", "all are shown. Known are: open, resolved, withdrawn."),
        (
            "warnings/?layer=netwrk",
            "“netwrk” is no layer that is known: all are shown. Is “net",
        ),
        ("warnings/?kind=signal", "Is “signals” meant?"),
        ("incidents/{incident}/?group=partey", "Is “party” meant?"),
        ("incidents/{incident}/?span=30min", "Is “30m” meant?"),
        ("sources/connect/?agent=aloy", "Is “alloy” meant?"),
        ("reports/?page=two", "“two” is no page of this list: page 1 is shown."),
        ("reports/?page=99", "“99” is no page of this list: page 1 is shown."),
        ("incidents/?before=yesterday", "“yesterday” is no time: the list begins at its start."),
        ("sessions/?status=open", "This page knows no “status”"),
        ("?debug=1", "This page knows no “debug”"),
        ("upload/?x=1", "This page knows no “x”"),
    ],
)
def test_nothing_that_an_address_asks_is_ignored_in_silence(
    cast: Cast, incident: Incident, browser: Browser, place: str, says: str
) -> None:
    there = f"/o/{cast.tenant.slug}/{place}".replace("{incident}", incident.public_id)
    response = browser(cast.tenant).get(there)
    assert response.status_code == 200
    assert says in response.content.decode()
    assert "message-doubt" in response.content.decode()


@pytest.mark.parametrize(
    "place", ["", "incidents/?status=open", "sessions/?layer=gpu", "warnings/"]
)
def test_what_a_page_knows_is_not_complained_of(
    cast: Cast, incident: Incident, browser: Browser, place: str
) -> None:
    assert "knows no" not in read(browser, cast, place)


@pytest.mark.parametrize("piece", ["annotations/changes/", "timeline/", ""])
def test_what_an_open_page_asks_by_itself_is_not_complained_of_on_the_next(
    cast: Cast, incident: Incident, browser: Browser, piece: str
) -> None:
    reader = browser(cast.tenant)
    own = f"/o/{cast.tenant.slug}/"
    answer = reader.get(f"{own}incidents/{incident.public_id}/{piece}?seen=other")
    assert answer.status_code == 200

    assert "knows no" not in reader.get(own).content.decode()


def test_every_page_that_asks_something_of_its_address_is_one_of_the_portals() -> None:
    assert set(PARAMETERS) <= {str(each.name) for each in urlpatterns}


def test_the_keys_of_the_keyboard_lead_where_they_say(cast: Cast, browser: Browser) -> None:
    page = one_line(read(browser, cast, ""))
    keys = dict(re.findall(rf'<a data-key="(\w)" href="/o/{cast.tenant.slug}/(\w*)', page))
    assert keys == {
        "h": "",
        "i": "incidents",
        "w": "warnings",
        "a": "sharing",
        "s": "sessions",
        "r": "reliability",
        "o": "sources",
        "u": "upload",
        "e": "explore",
        "f": "fleet",
        "l": "logs",
    }


def test_two_incidents_are_two(cast: Cast, incident: Incident, browser: Browser) -> None:
    stop_of(cast, attempt_of(cast, cast.tenant, number=1, state="failed", hosts=["gpu002"]))
    home = read(browser, cast, "")
    assert "2 that you are a party of" in home
