"""What a person does in the browser, from the door to the answer."""

import re
from datetime import timedelta
from time import monotonic

import numpy as np
import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from apps.incidents.correlation import touched_windows
from apps.incidents.correlation.attempts import due_attempts
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.models import Incident
from apps.telemetry.evidence.blocks import packed
from apps.telemetry.logs.interpretation import drain
from apps.telemetry.models import EvidenceBlock, Source
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]
PAGES = ("", "incidents/", "sessions/", "sources/", "upload/")
ECC = (
    "[rank3]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
    "[rank3]: CUDA kernel errors might be asynchronously reported at some other API call\n"
)


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Record a stop, with a metrics block that its operator captured."""
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(cast.operator.pk):
        keep_block(cast, incident)
    return incident


def keep_block(cast: Cast, incident: Incident) -> None:
    """Keep ten minutes of one GPU's power that end in silence."""
    source = Source.objects.create(
        organization=cast.operator,
        public_id="src-1",
        cluster=cast.cluster,
        kind="prometheus",
        name="dcgm",
        created_at=make.AT,
    )
    power = np.where(np.arange(40) < 25, 640.0, np.nan)[None, :]
    EvidenceBlock.objects.create(
        organization=cast.operator,
        incident_owner=incident.organization_id,
        incident_public_id=incident.public_id,
        source=source,
        capture_pass=1,
        entity={"kind": "gpu", "host": "gpu001", "index": 0},
        entity_key="gpu|gpu001|0||",
        family="power",
        signals=["gpu.power"],
        units=["W"],
        starts_at=make.AT - timedelta(minutes=6),
        step_seconds=15.0,
        shape=list(power.shape),
        body=packed(power),
    )


def work_off(organization: Organization) -> None:
    """Do what the workers do, without waiting for what they let settle."""
    now = timezone.now()  # noqa: TID251  beside a browser that has the real time
    drain.take_turn(organization_id=organization.pk, clock=monotonic, now=lambda: now)
    touched_windows.map_windows(organization_id=organization.pk, now=now)
    later = now + timedelta(seconds=5)
    for attempt_id in due_attempts.claim_due(organization_id=organization.pk, now=later):
        correlate_attempt(owner_id=organization.pk, attempt_id=attempt_id, now=later)


def test_from_the_door_to_the_answer_with_the_keyboard_and_two_themes(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = open_page(timezone_id="Asia/Seoul")
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    for key, place in (("s", "sessions/"), ("i", "incidents/"), ("h", f"o/{cast.tenant.slug}/")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"{place}$"))
        page.wait_for_load_state()  # its script hears keys from then on
    page.get_by_role("link", name=re.compile("fell off the bus")).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("fell off the bus")
    expect(page.locator(".lead")).to_contain_text("Restart without gpu001.")
    expect(page.locator("[data-local]")).to_contain_text("GMT+9")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_class("dark")
    page.reload()
    expect(page.locator("html")).to_have_class("dark")
    page.keyboard.press("a")
    expect(page.get_by_label(re.compile("^Add an annotation"))).to_be_focused()


def test_the_send_button_names_who_will_read_the_note(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    page.goto(f"{live_server.url}/o/{cast.tenant.slug}/incidents/{incident.public_id}/")
    send = page.locator("[data-audience-send]")
    expect(send).to_have_text(f"Keep within {cast.tenant.name}")
    notes = page.locator("#notes")
    notes.get_by_label(cast.operator.name, exact=True).check()
    expect(send).to_have_text(f"Share with {cast.operator.name}")
    page.get_by_label(re.compile("^Add an annotation")).fill("please look at the riser")
    send.click()
    expect(notes).to_contain_text("please look at the riser")
    expect(notes).to_contain_text(f"read by {cast.operator.name}")


def test_evidence_is_drawn_without_breaking_the_content_security_policy(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident
) -> None:
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=cast.operator))
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/incidents/{incident.public_id}/")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(".figure").first).to_contain_text("no data, not zero")


@pytest.mark.parametrize("width", [390, 1440])
def test_the_three_answers_stand_above_the_fold_and_nothing_runs_off_the_side(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident, width: int
) -> None:
    page = open_page(width=width)
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    page.goto(f"{live_server.url}/o/{cast.tenant.slug}/incidents/{incident.public_id}/")
    for answer in ("h1", ".lead b"):
        box = page.locator(answer).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 700
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_lists_on_a_phone_cut_no_filter_and_break_no_word(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage
) -> None:
    page = open_page(width=390)
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    for place in ("", "incidents/"):
        page.goto(f"{live_server.url}/o/{cast.tenant.slug}/{place}")
        word = page.locator(".gauge-row small").first
        lines = "each => { each.textContent = 'possible'; return each.getClientRects().length; }"
        height = word.evaluate(lines) and word.evaluate("each => each.offsetHeight")
        assert height <= word.evaluate("each => parseFloat(getComputedStyle(each).lineHeight)")
    ends = page.locator(".filters a").evaluate_all(
        "all => all.map(each => [each.getBoundingClientRect().right, "
        "each.parentElement.getBoundingClientRect().right])"
    )
    assert len(ends) > 8
    assert [right for right, edge in ends if right > edge + 1] == []


def test_words_of_the_timeline_interrupt_the_line_of_the_stop(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage
) -> None:
    page = open_page(width=1440)
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    page.goto(f"{live_server.url}/o/{cast.tenant.slug}/incidents/{incident.public_id}/")
    label = page.locator(".plot .label").first
    order, width = label.evaluate(
        "each => [getComputedStyle(each).paintOrder, getComputedStyle(each).strokeWidth]"
    )
    assert (order.split()[0], width) == ("stroke", "4px")


@pytest.mark.parametrize("place", PAGES)
def test_every_page_keeps_the_content_security_policy_on_desk_and_phone(
    live_server: LiveServer, open_page: OpenPage, cast: Cast, incident: Incident, place: str
) -> None:
    member = make.user(organization=cast.tenant)
    for width in (390, 1440):
        page = open_page(width=width)
        sign_in(page, live_server.url, member)
        page.goto(f"{live_server.url}/o/{cast.tenant.slug}/{place}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_dropped_files_become_an_incident_while_one_watches(
    live_server: LiveServer, open_page: OpenPage, cast: Cast
) -> None:
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Upload").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "rank3.log", "mimeType": "text/plain", "buffer": ECC.encode()}
    )
    expect(page.locator("[data-files]")).to_contain_text("rank3.log")
    page.get_by_role("button", name="Upload and diagnose").click()
    expect(page.locator("#progress")).to_contain_text("2 lines are kept.")
    work_off(cast.tenant)
    page.get_by_role("link", name="Open the incident").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("stopped")


def test_the_sources_page_tells_by_itself_that_the_first_line_came(
    live_server: LiveServer, open_page: OpenPage, cast: Cast
) -> None:
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    page.goto(f"{live_server.url}/o/{cast.tenant.slug}/sources/")
    expect(page.locator("#arrived")).to_contain_text("Waiting for the first line…")
    token = make.token(organization=cast.tenant, clusters=[cast.cluster])
    answer = page.request.post(
        f"{live_server.url}/api/v1/logs?session=my-run",
        headers={"Authorization": f"Bearer {token}", "Content-Type": "text/plain"},
        data=b"one line\n",
    )
    assert answer.ok
    expect(page.locator("#arrived")).to_contain_text("1 line arrived")


def test_an_admin_makes_a_token_and_sees_its_line_once(
    live_server: LiveServer, open_page: OpenPage, cast: Cast
) -> None:
    page = open_page(width=390)
    admin = make.user(organization=cast.tenant, role=MemberRole.ADMIN)
    sign_in(page, live_server.url, admin)
    page.goto(f"{live_server.url}/o/{cast.tenant.slug}/sources/")
    page.get_by_label("Name of the machine or job").fill("login-1")
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator("#made-token")).to_have_text(re.compile("^flt_[A-Za-z0-9_]{49}$"))
    expect(page.locator("#made-curl-cluster")).to_contain_text("Bearer flt_")
    assert "flt_" not in page.url
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Sources").click()
    expect(page.locator("#made-token")).to_have_count(0)
    page.get_by_role("button", name="Revoke login-1").click()
    expect(page.locator("#tokens")).to_contain_text("revoked on")


def test_an_admin_adds_a_metrics_source_and_sees_it_answer(
    live_server: LiveServer, open_page: OpenPage, cast: Cast
) -> None:
    page = open_page()
    admin = make.user(organization=cast.operator, role=MemberRole.ADMIN)
    sign_in(page, live_server.url, admin)
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/sources/")
    page.get_by_role("link", name="Add a source").click()
    page.get_by_label("Name", exact=True).fill("dcgm")
    page.get_by_label("Address").fill("https://metrics.example.com")
    page.get_by_role("button", name="Add and wait").click()
    expect(page.locator("#answers")).to_contain_text("Waiting for the first answer…")
    with organization_scope(cast.operator.pk):
        own = Source.objects.for_organization(cast.operator)
        now = timezone.now()  # noqa: TID251  the page runs by the real clock
        own.update(state="fresh", last_success_at=now, series_count=7)
    expect(page.locator("#answers")).to_contain_text("It answers")
