"""A request is answered by a signed statement; several agreements are signed in one step."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import run

import pytest
from playwright.sync_api import Page, expect

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import proposed
from tests.cast.answers import heard
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.asgi_server import CUT_OFF, serving
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
    CUT_OFF,
]


@pytest.fixture
def base() -> Iterator[str]:
    """Serve the portal as it runs."""
    with serving() as address:
        yield address


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Record a stop that has settled; the operator's kernel log covers it."""
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    heard(cast)
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=found.pk).update(settled_at=make.AT)
    return found


def _open(page: Page, base: str, who: Organization, incident: Incident) -> Page:
    sign_in(page, base, make.user(organization=who, role=MemberRole.ADMIN))
    page.goto(f"{base}/o/{who.slug}/incidents/{incident.public_id}/")
    expect(page.locator("[data-live-state]")).to_have_attribute("data-state", "live")
    return page


def _ask(page: Page, cast: Cast) -> None:
    page.get_by_text("Ask for evidence…").click()
    page.locator("#ask-holder").select_option(cast.operator.slug)
    page.locator("#ask-data").select_option("logs:kernel")
    page.locator("#ask-reason").fill("was it the GPU?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#requests-list")).to_contain_text("waits for an answer")
    page.wait_for_timeout(500)  # the stream of the page that followed


@pytest.mark.parametrize("width", [1440, 390])
def test_a_signed_statement_goes_as_it_was_read_and_is_checked_without_the_portal(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage, tmp_path: Path, width: int
) -> None:
    tenant = _open(open_page(width=width), base, cast.tenant, incident)
    _ask(tenant, cast)
    operator = _open(open_page(width=width), base, cast.operator, incident)

    operator.get_by_role("link", name="Answer…").click()
    row = operator.locator(".statement", has_text="by rule gpu-errors")
    expect(row).to_contain_text("No errors of GPUs (Xid and others) on gpu001")
    row.get_by_role("checkbox").check()
    assert operator.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    operator.get_by_role("button", name=f"Sign and send to {cast.tenant.name}").click()
    expect(operator.locator("#requests-list")).to_contain_text("answered by a signed statement")

    answer = tenant.locator("#requests-list .signed-answer")
    expect(answer).to_contain_text("No errors of GPUs (Xid and others) on gpu001")
    expect(answer).to_contain_text(f"Computed by the portal from data of {cast.operator.name}")
    expect(answer).not_to_contain_text("by rule nvlink-errors")
    assert tenant.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    with tenant.expect_download() as took:
        answer.get_by_role("link", name="Download it signed").click()
    path = tmp_path / took.value.suggested_filename
    took.value.save_as(path)
    operator.goto(f"{base}/o/{cast.operator.slug}/sharing/")
    key = operator.locator("#signing-keys .digest").inner_text()
    checked = run(  # noqa: S603  our own command on a file of our own
        [sys.executable, "manage.py", "verify_answer", str(path), "--key", key],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert "No errors of GPUs" in checked.stdout, checked.stderr


@pytest.mark.parametrize("width", [1440, 390])
def test_agreements_that_wait_are_read_and_signed_in_one_step(
    cast: Cast, base: str, open_page: OpenPage, width: int
) -> None:
    for other in (cast.tenant, cast.vendor, cast.other_tenant):
        proposed(other, cast.operator, cast.cluster, preset="joint-operations")
    page = open_page(width=width)
    sign_in(page, base, make.user(organization=cast.operator, role=MemberRole.ADMIN))
    page.goto(f"{base}/o/{cast.operator.slug}/sharing/")

    box = page.locator("#sign-all")
    expect(box).to_contain_text("3 agreements wait for your signature")
    box.get_by_text("What it says").first.click()
    expect(box.get_by_role("heading", name=re.compile("^What you show")).first).to_be_visible()
    box.get_by_role("checkbox", name=re.compile(cast.vendor.name)).uncheck()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    box.get_by_role("button", name="Sign all that are ticked").click()

    expect(page.get_by_text("Signed 2 agreements.")).to_be_visible()
    expect(page.locator("#sign-all")).to_have_count(0)
    expect(page.get_by_role("link", name="Read and answer")).to_have_count(1)
