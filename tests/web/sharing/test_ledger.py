"""The share ledger on its page: both sides read the same looks, each in its own words."""

from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from tests.apps.incidents.projection.shared_reading import EVENTS, of
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.markup import one_line


@pytest.fixture
def incident(cast: Cast) -> Incident:
    now = timezone.now()  # noqa: TID251  the pages read the clock, too
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator), now=now)
    return stop_of(cast, attempt_of(cast, cast.tenant))


def ledger(browser: Browser, organization: Organization, role: MemberRole, query: str = "") -> str:
    answer = browser(organization, role).get(f"/o/{organization.slug}/sharing/ledger/{query}")
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def look(browser: Browser, organization: Organization, incident: Incident) -> None:
    page = browser(organization).get(f"/o/{organization.slug}/incidents/{incident.public_id}/")
    assert page.status_code == 200


def test_the_holder_reads_who_looked_and_the_reader_which_person(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    look(browser, cast.tenant, incident)

    held = ledger(browser, cast.operator, MemberRole.ADMIN)
    assert cast.tenant.name in held
    assert "a responder" in held
    assert "user-" not in held.split('class="cards"')[1]
    assert "Events: GPU, in full:" in held
    assert "read on a page" in held
    own = ledger(browser, cast.tenant, MemberRole.ADMIN)
    assert "a responder" not in own
    assert incident.public_id in own
    assert "a responder" in ledger(browser, cast.tenant, MemberRole.VIEWER)


def test_others_read_nothing_of_it(cast: Cast, incident: Incident, browser: Browser) -> None:
    look(browser, cast.tenant, incident)

    for other in (cast.other_tenant, cast.vendor, cast.stranger):
        page = ledger(browser, other, MemberRole.ADMIN)
        assert incident.public_id not in page
        assert "Nothing was shown" in page


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?side=ours", 1),
        ("?side=theirs", 0),
        ("?incident={incident}", 1),
        ("?incident=INC-ELSE", 0),
        ("?party={party}", 1),
        ("?day={today}", 1),
        ("?day={yesterday}", 0),
        ("?agreement=AGR-ELSE", 0),
        ("?day=nonsense&side=wrong", 1),
        ("?day=9999-12-31", 1),
    ],
)
def test_it_is_narrowed_by_side_party_incident_and_day(
    cast: Cast, incident: Incident, browser: Browser, query: str, count: int
) -> None:
    look(browser, cast.tenant, incident)
    today = timezone.now().date()  # noqa: TID251  the pages read the clock, too
    asked = query.format(
        incident=incident.public_id,
        party=cast.tenant.slug,
        today=today,
        yesterday=today - timedelta(days=1),
    )

    page = ledger(browser, cast.operator, MemberRole.VIEWER, asked)

    assert page.count('datetime="') == count


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_where_a_look_can_not_be_written_down_the_page_shows_ones_own_and_says_why(
    browser: Browser,
) -> None:
    cast = assemble()
    now = timezone.now()  # noqa: TID251  the pages read the clock, too
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator), now=now)
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    address = f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/"
    reader = browser(cast.tenant)
    shown = reader.get(address).content.decode()
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("REVOKE INSERT ON sharing_ledgerentry FROM portal_app")
    try:
        hidden = reader.get(address).content.decode()
        refused = reader.get(f"/api/v1{address}hypotheses/")
    finally:
        with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
            cursor.execute("GRANT INSERT ON sharing_ledgerentry TO portal_app")

    mark = f"{cast.operator.name} (in full)"
    assert mark in shown
    assert mark not in hidden
    assert "What others share is not shown right now." in hidden
    assert (refused.status_code, refused.json()["code"]) == (503, "ledger_unavailable")
