"""Asking for evidence and answering, on pages alone."""

import re

import pytest

from apps.incidents.models import Incident
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.clients import member
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.kept_charts import keep
from tests.cast.stopped_session import stopped_by_a_gpu
from tests.web.conftest import Browser
from tests.web.evidence_requests.asking import ASKED, ask, at
from tests.web.markup import one_line
from tests.web.pressing import press, read

BOARD = re.compile(r'<section[^>]*aria-labelledby="hypotheses-title".*?</section>', re.DOTALL)
STUB = re.compile(r'data-ask-for="([^"]*)"\s*>([^<]*)</a>')


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A GPU of the operator stopped a session of the tenant; the operator kept its metrics."""
    made = stop_of(cast, attempt_of(cast, cast.tenant))
    keep(cast, made)
    return made


def test_the_first_page_names_a_request_until_it_is_answered(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    operator = browser(cast.operator, MemberRole.ADMIN)
    said = f"{cast.tenant.name} asks you for evidence: 1 request waits for your answer."
    home = f"/o/{cast.operator.slug}/"
    assert said not in read(operator, home)

    ask(browser(cast.tenant), cast, incident)

    assert said in read(operator, home)
    assert f'href="{at(cast.operator, incident)}#REQ-' in read(operator, home)
    assert said not in read(browser(cast.operator, MemberRole.VIEWER), home)
    assert said not in read(browser(cast.tenant), f"/o/{cast.tenant.slug}/")
    press(operator, read(operator, at(cast.operator, incident)), "/grant/")
    assert said not in read(operator, home)


def test_a_stub_beside_the_charts_leads_to_the_form(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    tenant = browser(cast.tenant)
    stub = f"?ask_of={cast.operator.slug}&amp;ask_for=metrics:gpu#ask"

    assert stub in read(tenant, at(cast.tenant, incident))
    page = read(tenant, at(cast.tenant, incident) + stub.replace("&amp;", "&"))

    assert f'<option value="{cast.operator.slug}" selected>' in page
    assert '<option value="metrics:gpu" selected>' in page
    assert 'id="ask" open' in page


def test_a_party_is_offered_to_be_asked_whatever_it_has(cast: Cast, browser: Browser) -> None:
    bare = stop_of(cast, attempt_of(cast, cast.tenant))  # nobody kept any metrics

    page = read(browser(cast.tenant), at(cast.tenant, bare))

    assert f"?ask_of={cast.operator.slug}&amp;ask_for=metrics:gpu#ask" in page


@pytest.mark.parametrize(
    ("rules", "asked"),
    [
        (["events:* full", "metrics:* full"], {"logs:kernel"}),
        (["events:* redacted", "logs:* signal"], {"logs:kernel"}),
        (["events:* redacted", "logs:kernel redacted"], set()),
        (["events:* signal", "logs:* full"], {"events:gpu", "metrics:gpu"}),
    ],
    ids=["no-lines", "lines-as-signals", "lines-shown", "a-signal"],
)
def test_beside_a_shown_fact_what_its_level_hides_can_be_asked_for(
    rules: list[str], asked: set[str], db: None
) -> None:
    # A GPU of the operator stopped a session of the tenant; a kernel line tells of it.
    people = stopped_by_a_gpu().people
    told = [
        SharingRule(data=data, level=Level(level))
        for data, _, level in (each.partition(" ") for each in rules)
    ]
    agreed(people.operator, people.tenant, people.cluster, terms={people.operator.slug: told})
    with organization_scope(people.tenant.pk):
        incident = Incident.objects.get()

    page = read(member(people.tenant).client, at(people.tenant, incident))
    board = BOARD.search(page)
    assert board
    stubs = STUB.findall(board[0])
    # What is held and not shown has a stub of its own: that one is called "Request".
    assert {data for data, text in stubs if text.startswith("Ask ")} == asked

    viewer = member(people.tenant, MemberRole.VIEWER).client
    assert "ask_for=" not in read(viewer, at(people.tenant, incident))


def test_asked_and_granted_the_chart_is_on_the_page(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    tenant, operator = browser(cast.tenant), browser(cast.operator, MemberRole.ADMIN)
    page = ask(tenant, cast, incident)
    assert "waits for an answer" in page
    assert 'class="chart ' not in page

    page = read(operator, at(cast.operator, incident))
    assert "asks you for evidence: 1 request waits for your answer" in page
    assert ASKED["reason"] in page
    assert "Granted." in press(operator, page, "/grant/")

    page = read(tenant, at(cast.tenant, incident))
    assert 'class="chart ' in page
    assert f"{cast.operator.name} (in full, on request)" in page


def test_an_open_page_hears_of_it_once(cast: Cast, incident: Incident, browser: Browser) -> None:
    tenant, operator = browser(cast.tenant), browser(cast.operator, MemberRole.ADMIN)
    page = ask(tenant, cast, incident)
    mark = page.split('data-seen="')[1].split('"')[0]
    address = at(cast.tenant, incident)
    assert tenant.get(address, {"seen": mark}).status_code == 204
    press(operator, read(operator, at(cast.operator, incident)), "/grant/")

    answer = tenant.get(address, {"seen": mark})

    assert answer.status_code == 200
    assert 'class="chart ' in one_line(answer.content.decode())


def test_declined_the_asker_reads_why(cast: Cast, incident: Incident, browser: Browser) -> None:
    tenant, operator = browser(cast.tenant), browser(cast.operator)
    ask(tenant, cast, incident)

    page = read(operator, at(cast.operator, incident))
    assert "/grant/" not in page  # a responder lets nothing out
    press(operator, page, "/decline/", reason="our contract does not cover it")

    page = read(tenant, at(cast.tenant, incident))
    assert "declined" in page
    assert "our contract does not cover it" in page


def test_revoked_the_chart_is_gone(cast: Cast, incident: Incident, browser: Browser) -> None:
    tenant, operator = browser(cast.tenant), browser(cast.operator, MemberRole.ADMIN)
    ask(tenant, cast, incident)
    press(operator, read(operator, at(cast.operator, incident)), "/grant/")
    page = read(operator, at(cast.operator, incident))

    press(operator, page, "/revoke/", reason="granted by mistake")

    page = read(tenant, at(cast.tenant, incident))
    assert 'class="chart ' not in page
    assert "granted by mistake" in page


def test_less_is_granted_and_more_refused(cast: Cast, incident: Incident, browser: Browser) -> None:
    tenant, operator = browser(cast.tenant), browser(cast.operator, MemberRole.ADMIN)
    ask(tenant, cast, incident, level="redacted")
    page = read(operator, at(cast.operator, incident))

    assert "no more than was asked for" in press(operator, page, "/grant/", level="full")
    press(operator, page, "/grant/", level="signal")

    assert "granted in part" in read(tenant, at(cast.tenant, incident))


@pytest.mark.parametrize(
    "typed",
    [
        {"level": "all of it"},
        {"starts_at": "yesterday"},
        {"ends_at": "9999-99-99"},
        {"days": "-1"},
        {"data": "metrics:*"},
        {"reason": " "},
    ],
)
def test_what_can_not_be_meant_is_told(
    cast: Cast, incident: Incident, browser: Browser, typed: dict[str, str]
) -> None:
    assert "Not asked:" in ask(browser(cast.tenant), cast, incident, **typed)


def test_a_viewer_reads_requests_and_has_no_form(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    ask(browser(cast.tenant), cast, incident)

    page = read(browser(cast.tenant, MemberRole.VIEWER), at(cast.tenant, incident))

    assert ASKED["reason"] in page
    assert 'id="ask-holder"' not in page
    assert "/take-back/" not in page


def test_the_vendor_reads_nothing_of_it(cast: Cast, incident: Incident, browser: Browser) -> None:
    page = ask(browser(cast.tenant), cast, incident)
    request = page.split('id="REQ-')[1].split('"')[0]
    vendor = browser(cast.vendor, MemberRole.ADMIN)

    assert ASKED["reason"] not in read(vendor, at(cast.vendor, incident))
    address = f"/o/{cast.vendor.slug}/sharing/evidence-requests/REQ-{request}/decline/"
    assert vendor.post(address, {"reason": "no"}).status_code == 404


def test_both_sides_find_it_in_their_list_and_a_third_does_not(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    ask(browser(cast.tenant), cast, incident)

    pages = {
        each: read(browser(each), f"/o/{each.slug}/sharing/")
        for each in (cast.tenant, cast.operator, cast.vendor)
    }

    assert "Asked by you" in pages[cast.tenant]
    assert "Asked of you" in pages[cast.operator]
    assert f"You ask {cast.operator.name}: Metrics: " in pages[cast.tenant]
    assert "Evidence requests" not in pages[cast.vendor]
