"""Evidence is chosen, seen as they will get it, sent, taken and checked offline: in the browser."""

import io
import sys
from pathlib import Path
from subprocess import run

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.models import Incident
from apps.sharing.bundles.bundle_file import read_bundle
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in, xid
from tests.cast import make
from tests.cast.pushes import Cast as Pushers
from tests.cast.pushes import cast as parties
from tests.cast.stopped_session import CRASH
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NFS = "kernel: nfs: server 10.20.30.40 not responding, mount /mnt/secret-lake/solar-100b"
APP = "app: user=minji --hf-token hf_abcdefghijABCDEFGHIJabcdefghijABCD"
KERNEL = [f"2026-11-21T02:00:01+00:00 gpu001 {NFS}", f"2026-11-21T02:00:02+00:00 gpu001 {APP}"]


def story() -> tuple[Pushers, str]:
    """A GPU of the operator stopped a session; return who is who and the incident's id."""
    people = parties()
    make.agreed(organization=people.tenant, cluster=people.cluster)
    come_in(people.tenant, people.cluster, CRASH, at=make.AT, session="run-1", host="gpu001")
    lines = [*KERNEL, xid(5, make.AT)]
    come_in(people.operator, people.cluster, lines, at=make.AT, stream="kernel", host="gpu001")
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get()
    correlate_attempt(owner_id=people.tenant.pk, attempt_id=attempt.pk, now=make.AT)
    with organization_scope(people.operator.pk):
        return people, Incident.objects.get().public_id


def admin(page: Page, server: LiveServer, organization: Organization) -> Page:
    """Sign an admin in, and stay on the first page."""
    sign_in(page, server.url, make.user(organization=organization, role=MemberRole.ADMIN))
    return page


@pytest.mark.parametrize("width", [1440, 390])
def test_evidence_goes_from_the_incident_to_a_file_that_is_checked(
    live_server: LiveServer, open_page: OpenPage, width: int, tmp_path: Path
) -> None:
    people, incident = story()
    theirs = admin(open_page(width=width), live_server, people.operator)
    ours = admin(open_page(width=width), live_server, people.tenant)

    _send(theirs, people, f"{live_server.url}/o/{people.operator.slug}/incidents/{incident}/")
    address = f"{live_server.url}/o/{people.tenant.slug}/incidents/{incident}/"
    _take(ours, people, address, tmp_path)

    theirs.get_by_label("Why it is withdrawn").fill("the wrong incident")
    theirs.get_by_role("button", name="Withdraw it now").click()
    ours.reload()
    expect(ours.get_by_text("the wrong incident")).to_be_visible()
    expect(ours.get_by_role("link", name="Download")).to_have_count(0)


def _send(page: Page, people: Pushers, address: str) -> None:
    """Choose what goes of the incident at an address, see it, and send it to the tenant."""
    page.goto(address)
    page.get_by_role("link", name="Share evidence…").locator("visible=true").click()
    page.get_by_label(people.tenant.name).check()
    page.get_by_label("What for (they read it)").fill("the GPU that was lost")
    page.get_by_role("button", name="See what they will get").click()
    expect(page.get_by_text("Nothing has left yet.")).to_be_visible()
    lines = page.get_by_role("group", name="Cited log lines")
    expect(lines.get_by_text("gpu001").first).to_be_visible()
    expect(lines.locator("mark.is-gone", has_text="[secret]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    pseudonym = lines.locator("mark", has_text="host-").first.inner_text()
    page.get_by_role("textbox", name="Who is").fill(pseudonym)
    page.get_by_role("button", name="Look up").click()
    expect(page.get_by_role("status").filter(has_text="stands for")).to_contain_text("gpu001")
    page.get_by_role("button", name=f"Send to {people.tenant.name}").click()
    expect(page.get_by_role("button", name="Withdraw it now")).to_be_visible()


def _take(page: Page, people: Pushers, address: str, folder: Path) -> None:
    """Follow the incident's line to the bundle, download it, and check it without the portal."""
    page.goto(address)
    line = page.locator("p.message", has_text="shared a bundle")
    expect(line).to_contain_text(people.operator.name)
    line.get_by_role("link", name="Open it").click()
    expect(page.get_by_text("the GPU that was lost")).to_be_visible()
    expect(page.get_by_text("has fallen off the bus")).to_be_visible()
    with page.expect_download() as took:
        page.get_by_role("link", name="Download").click()
    path = folder / took.value.suggested_filename
    took.value.save_as(path)
    bundle = read_bundle(io.BytesIO(path.read_bytes()))
    assert b"gpu001" not in b"".join(bundle.files.values())
    expect(page.get_by_text(bundle.digest)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    checked = run(  # noqa: S603  our own command on a file of our own
        [sys.executable, "manage.py", "verify_bundle", str(path), "--sha256", bundle.digest],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert "The bundle is as it was made." in checked.stdout, checked.stderr
