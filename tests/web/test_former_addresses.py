"""Addresses of former versions, in bookmarks and old mails, lead to where the pages lie now."""

import pytest
from django.test import Client

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole
from tests.cast.clients import Asking, member
from tests.cast.incidents import Cast
from tests.web.conftest import Browser

MOVED = [
    ("settings/notices/", "settings/notifications/"),
    ("settings/notices", "settings/notifications"),
    (
        "settings/notices/webhook/rotate/?a=b&c=%2F",
        "settings/notifications/webhook/rotate/?a=b&c=%2F",
    ),
    ("settings/keeping/?x=1", "settings/retention/?x=1"),
    ("settings/you/password/", "settings/account/password/"),
    ("incidents/INC-1/notes/", "incidents/INC-1/annotations/"),
    ("incidents/INC-1/notes/N-2/", "incidents/INC-1/annotations/N-2/"),
]
FORMER_INTERFACE = [
    ("notices/wishes/", "notifications/preferences/"),
    ("notices/webhook/", "notifications/webhook/"),
    ("notices/deliveries/?limit=1", "notifications/deliveries/?limit=1"),
]


@pytest.mark.parametrize(("former", "now"), MOVED)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_former_page_leads_on_for_good_with_what_was_sent(
    db: None, former: str, now: str, method: str
) -> None:
    answer = Client().generic(method, f"/o/aurora/{former}")
    assert answer.status_code == 308
    assert answer.headers["Location"] == f"/o/aurora/{now}"


@pytest.mark.parametrize(
    "other",
    ["settings/noticesx/", "settings/", "settings/notes/", "incidents/notes/", "incidents/x/you/"],
)
def test_other_addresses_stay_where_they_are(db: None, other: str) -> None:
    assert Client().get(f"/o/aurora/{other}").status_code != 308


def test_a_reader_of_an_old_mail_arrives(cast: Cast, browser: Browser) -> None:
    home = f"/o/{cast.tenant.slug}"
    answer = browser(cast.tenant).get(f"{home}/settings/notices/", follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain == [(f"{home}/settings/notifications/", 308)]


def test_an_annotation_of_a_form_that_stood_open_is_kept(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    home = f"/o/{cast.tenant.slug}/incidents/{incident.public_id}"
    client = browser(cast.tenant)
    client.post(f"{home}/notes/", {"text": "looked at the cables"}, follow=True)
    assert "looked at the cables" in client.get(f"{home}/").content.decode()


@pytest.mark.parametrize(("former", "now"), FORMER_INTERFACE)
def test_the_interface_answers_under_both_names(cast: Cast, former: str, now: str) -> None:
    asking: Asking = member(cast.tenant, MemberRole.ADMIN)
    answers = [asking.get(path) for path in (former, now)]
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].content == answers[1].content


def test_strangers_are_not_found_under_former_names(cast: Cast) -> None:
    asking = member(cast.stranger, MemberRole.ADMIN)
    where = f"/api/v1/o/{cast.tenant.slug}/notices/wishes/"
    assert asking.client.get(where).status_code == 404
