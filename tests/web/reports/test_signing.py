"""Signing a report on its page, and reading who signed there and in its files."""

from html import escape

import pytest
from django.test import Client
from time_machine import TimeMachineFixture

from apps.reliability.models import ReportSignature
from apps.reliability.period.scopes import Audience
from apps.tenancy.models import MemberRole, Membership, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.cast.reports import AFTER, issued, leave_one_tenant, stops
from tests.web.conftest import Browser
from tests.web.markup import one_line
from tests.web.pressing import press, read

REASON = "Two stops of the 17th are missing: <b>see INC</b>"


@pytest.fixture(autouse=True)
def _after_the_week(time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(AFTER, tick=False)


def at(organization: Organization, public_id: str) -> str:
    return f"/o/{organization.slug}/reports/{public_id}/"


def joint(cast: Cast) -> str:
    leave_one_tenant(cast)
    stops(cast)
    found = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    return found.head.public_id


def said(organization: Organization) -> int:
    with organization_scope(organization.pk):
        return ReportSignature.objects.for_organization(organization).count()


def sent(page_of: Client, organization: Organization, public_id: str) -> dict[str, str]:
    """Return what the form of the page sends, pressed as settled."""
    digest = page_of.get(f"/api/v1/o/{organization.slug}/reports/{public_id}/").json()
    return {"revision": "1", "digest": digest["report"]["digest"], "stance": "settled"}


def test_a_party_settles_and_the_others_read_it(cast: Cast, browser: Browser) -> None:
    public_id = joint(cast)
    asking = browser(cast.tenant)
    page = press(asking, read(asking, at(cast.tenant, public_id)), "Sign as settled")
    assert "Signed. Everybody who has this report sees it." in page
    for party in (cast.operator, cast.vendor):
        told = read(browser(party), at(party, public_id))
        assert '<span class="state state-fresh">Settled</span>' in told
        assert '<span class="state state-waiting">Not signed yet</span>' in told
    assert "of 3 settled" in read(browser(cast.vendor), f"/o/{cast.vendor.slug}/reports/")


def test_a_dissent_is_read_with_its_reason_and_is_no_markup(cast: Cast, browser: Browser) -> None:
    public_id = joint(cast)
    asking = browser(cast.vendor)
    page = read(asking, at(cast.vendor, public_id))
    press(asking, page, "Sign the dissent", reason=REASON)
    told = read(browser(cast.operator), at(cast.operator, public_id))
    assert '<span class="state state-failed">Dissents</span>' in told
    assert escape(REASON) in told
    assert REASON not in told


def test_a_dissent_without_a_reason_is_refused_beside_its_field(
    cast: Cast, browser: Browser
) -> None:
    public_id, asking = joint(cast), browser(cast.tenant)
    body = sent(asking, cast.tenant, public_id) | {"stance": "dissent", "reason": "  "}
    answer = asking.post(f"{at(cast.tenant, public_id)}sign/", body)
    assert answer.status_code == 400
    assert "A dissent says why" in answer.content.decode()
    assert said(cast.tenant) == 0


def test_what_was_typed_stays_where_a_newer_revision_came(cast: Cast, browser: Browser) -> None:
    public_id, asking = joint(cast), browser(cast.tenant)
    body = sent(asking, cast.tenant, public_id) | {"stance": "dissent", "reason": REASON}
    stops(cast, count=1)
    issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    answer = asking.post(f"{at(cast.tenant, public_id)}sign/", body)
    page = one_line(answer.content.decode())
    assert answer.status_code == 409
    assert "Not signed: there is a newer revision." in page
    assert escape(REASON) in page
    assert said(cast.tenant) == 0


def test_others_readers_and_former_members_sign_nothing(cast: Cast, browser: Browser) -> None:
    report = issued(cast.tenant)
    public_id = report.head.public_id
    allowed = browser(cast.tenant)
    body = sent(allowed, cast.tenant, public_id)
    for outsider in (cast.operator, cast.stranger):
        asking = browser(outsider, MemberRole.ADMIN)
        assert asking.post(f"{at(outsider, public_id)}sign/", body).status_code == 404
        assert asking.post(f"{at(cast.tenant, public_id)}sign/", body).status_code == 404
    reading = browser(cast.tenant, MemberRole.VIEWER)
    assert "Sign as settled" not in read(reading, at(cast.tenant, public_id))
    assert reading.post(f"{at(cast.tenant, public_id)}sign/", body).status_code == 404
    former = make.user(organization=cast.tenant, role=MemberRole.RESPONDER)
    gone = Client()
    gone.force_login(former, backend="django.contrib.auth.backends.ModelBackend")
    with organization_scope(cast.tenant.pk):
        Membership.objects.for_organization(cast.tenant).filter(user=former).delete()
    assert gone.post(f"{at(cast.tenant, public_id)}sign/", body).status_code == 404
    assert said(cast.tenant) == 0
    assert allowed.post(f"{at(cast.tenant, public_id)}sign/", body).status_code == 302
    assert said(cast.tenant) == 1


def test_a_signature_from_another_site_is_refused(cast: Cast) -> None:
    public_id = issued(cast.tenant).head.public_id
    asking = Client(enforce_csrf_checks=True)
    asking.force_login(
        make.user(organization=cast.tenant, role=MemberRole.ADMIN),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    body = sent(asking, cast.tenant, public_id)
    assert asking.post(f"{at(cast.tenant, public_id)}sign/", body).status_code == 403
    assert said(cast.tenant) == 0


def test_an_older_revision_offers_no_signature(cast: Cast, browser: Browser) -> None:
    public_id = joint(cast)
    stops(cast, count=1)
    issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    asking, address = browser(cast.tenant), at(cast.tenant, public_id)
    assert "Sign as settled" in read(asking, address)
    assert "Sign as settled" not in read(asking, f"{address}?revision=1")


def test_files_are_in_the_language_that_their_page_is_read_in(cast: Cast, browser: Browser) -> None:
    public_id = joint(cast)
    asking = browser(cast.tenant)
    page = asking.get(at(cast.tenant, public_id), headers={"Accept-Language": "ko"})
    assert "export.html?revision=1&amp;language=ko" in page.content.decode()
    assert "export.html?revision=1&amp;language=en" in read(asking, at(cast.tenant, public_id))
