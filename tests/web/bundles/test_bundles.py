"""An admin chooses, sees what they will get, sends; the other side reads, downloads, verifies."""

import hashlib
import io
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.test import Client

from apps.sharing.bundles.bundle_file import read_bundle
from apps.sharing.models import BundleAct, BundleContent, BundleOriginal, LedgerEntry
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import kept_charts
from tests.cast.bundles import made, sent, told_by
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.markup import one_line
from tests.web.pressing import press, read


@pytest.fixture
def incident(cast: Cast) -> str:
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    kept_charts.keep(cast, found)
    return found.public_id


def at(organization: Organization, path: str = "") -> str:
    return f"/o/{organization.slug}/sharing/bundles/{path}"


def test_from_the_form_to_the_file(cast: Cast, incident: str, browser: Browser) -> None:
    operator, tenant = (browser(each, MemberRole.ADMIN) for each in (cast.operator, cast.tenant))
    form = read(operator, f"{at(cast.operator)}new/?incident={incident}")
    assert "OPERATOR-WORDS" in form
    page = press(
        operator, form, "See what they will get",
        recipient=cast.tenant.slug, section="series", level="redacted", profile="operations",
        neighbours="3", days="14", purpose="the hot GPU",
    )  # fmt: skip
    assert "Nothing has left yet." in page
    assert "gpu001" in page
    assert f"Send to {cast.tenant.name}" in page

    assert "BND-" not in read(tenant, at(cast.tenant))
    assert "Sent." in press(operator, page, f"Send to {cast.tenant.name}")

    listed = read(tenant, at(cast.tenant))
    public_id = listed.partition("bundles/BND-")[2].partition("/")[0]
    page = read(tenant, at(cast.tenant, f"BND-{public_id}/"))
    assert f"Evidence from {cast.operator.name}" in page
    assert "the hot GPU" in page
    answer = tenant.get(at(cast.tenant, f"BND-{public_id}/file/"))
    assert answer["Content-Disposition"] == f'attachment; filename="BND-{public_id}.zip"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    body = answer.content
    assert hashlib.sha256(body).hexdigest() in page
    assert len(read_bundle(io.BytesIO(body)).manifest["files"]) == 6
    page = read(operator, at(cast.operator, f"BND-{public_id}/"))
    assert f"opened by {cast.tenant.name}" in page
    assert f"downloaded by {cast.tenant.name}" in page


def test_a_responder_makes_it_and_an_admin_sends_it(
    cast: Cast, incident: str, browser: Browser
) -> None:
    public_id = made(cast.operator, cast.tenant)
    responder = browser(cast.operator, MemberRole.RESPONDER)

    page = read(responder, at(cast.operator, f"{public_id}/"))

    assert "An admin of your organization sends it." in page
    assert responder.post(at(cast.operator, f"{public_id}/send/")).status_code == 404
    assert read(responder, f"{at(cast.operator)}new/?incident={incident}")
    viewer = browser(cast.operator, MemberRole.VIEWER)
    assert viewer.get(f"{at(cast.operator)}new/?incident={incident}").status_code == 404


def test_a_recipient_sees_neither_originals_nor_what_others_did(
    cast: Cast, incident: str, browser: Browser
) -> None:
    public_id = sent(cast.operator, cast.tenant, cast.vendor)
    vendor, tenant = browser(cast.vendor), browser(cast.tenant)
    tenant.get(at(cast.tenant, f"{public_id}/file/"))

    page = read(vendor, at(cast.vendor, f"{public_id}/"))

    assert "gpu001" not in page
    assert "OPERATOR-WORDS" in page
    assert ">Original<" not in page
    assert "downloaded by" not in page


def test_who_was_not_sent_it_finds_nothing(cast: Cast, incident: str, browser: Browser) -> None:
    public_id = sent(cast.operator, cast.tenant)

    for who in (cast.vendor, cast.other_tenant, cast.stranger):
        other = browser(who, MemberRole.ADMIN)
        for path in (f"{public_id}/", f"{public_id}/file/"):
            assert other.get(at(who, path)).status_code == 404
        assert other.post(at(who, f"{public_id}/send/")).status_code == 404
        assert other.post(at(who, f"{public_id}/withdraw/")).status_code == 404


def test_before_it_is_sent_nobody_downloads_it(cast: Cast, incident: str, browser: Browser) -> None:
    public_id = made(cast.operator, cast.tenant)

    for who in (cast.operator, cast.tenant):
        answer = browser(who, MemberRole.ADMIN).get(at(who, f"{public_id}/file/"))
        assert answer.status_code == 404


def test_what_was_withdrawn_is_gone_with_its_content(
    cast: Cast, incident: str, browser: Browser
) -> None:
    public_id = sent(cast.operator, cast.tenant)
    operator, tenant = (browser(each, MemberRole.ADMIN) for each in (cast.operator, cast.tenant))
    page = read(operator, at(cast.operator, f"{public_id}/"))
    page = press(operator, page, "Withdraw it now", reason="the wrong incident")
    assert "Its content is deleted" in page

    answer = tenant.get(at(cast.tenant, f"{public_id}/file/"))

    assert answer.status_code == 410
    assert "the wrong incident" in one_line(answer.content.decode())
    with organization_scope(cast.operator.pk, cast.tenant.pk):
        assert not BundleContent.objects.exists()
        assert not BundleOriginal.objects.exists()
        assert BundleAct.objects.filter(kind="revoked").count() == 2


def test_after_its_days_it_is_over(cast: Cast, incident: str, browser: Browser) -> None:
    long_ago = told_by(cast.operator).now - timedelta(days=15)
    public_id = sent(cast.operator, cast.tenant, now=long_ago)
    tenant: Client = browser(cast.tenant)

    assert tenant.get(at(cast.tenant, f"{public_id}/file/")).status_code == 410
    assert "Its time is over" in read(tenant, at(cast.tenant, f"{public_id}/"))


def test_a_file_for_somebody_outside_is_taken_by_an_admin(
    cast: Cast, incident: str, browser: Browser
) -> None:
    public_id = made(cast.operator, outside="Verdant support")
    admin = browser(cast.operator, MemberRole.ADMIN)
    page = read(admin, at(cast.operator, f"{public_id}/"))

    press(admin, page, "Send to Verdant support")

    assert admin.get(at(cast.operator, f"{public_id}/file/")).status_code == 200
    responder = browser(cast.operator, MemberRole.RESPONDER)
    assert responder.get(at(cast.operator, f"{public_id}/file/")).status_code == 404


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("recipient", "", "choose at least one recipient"),
        ("days", "91", "days: 1 to 90"),
        ("days", "soon", "days: 1 to 90"),
        ("level", "all", "choose what goes"),
        ("section", "passwords", "choose what goes"),
        ("profile", "none", "profile: one of"),
        ("neighbours", "9999", "neighbours: one of"),
    ],
)
def test_a_choice_that_cannot_be_is_told(
    cast: Cast, incident: str, browser: Browser, field: str, value: str, said: str
) -> None:
    typed = {
        "incident": incident, "recipient": [cast.tenant.slug], "section": ["series"],
        "level": "redacted", "profile": "operations", "neighbours": "3", "days": "14",
    }  # fmt: skip
    typed[field] = value if value or field != "recipient" else []

    answer = browser(cast.operator, MemberRole.ADMIN).post(f"{at(cast.operator)}new/", typed)

    assert answer.status_code == 422
    assert f"Not made: {said}" in one_line(answer.content.decode())


def test_the_incident_says_what_was_shared_and_leads_there(
    cast: Cast, incident: str, browser: Browser
) -> None:
    public_id = sent(cast.operator, cast.tenant)

    for who, said in (
        (cast.tenant, f"{cast.operator.name} shared a bundle: 1 piece of evidence, 4 series"),
        (cast.operator, f"You shared a bundle with {cast.tenant.name}: 1 piece of evidence"),
    ):
        page = read(browser(who), f"/o/{who.slug}/incidents/{incident}/")
        assert said in page
        assert f"/o/{who.slug}/sharing/bundles/{public_id}/" in page
    assert "shared a bundle" not in read(
        browser(cast.vendor), f"/o/{cast.vendor.slug}/incidents/{incident}/"
    )


def test_reading_and_downloading_stand_in_the_ledger_of_both_sides(
    cast: Cast, incident: str, browser: Browser
) -> None:
    public_id = sent(cast.operator, cast.tenant)
    tenant = browser(cast.tenant)
    for path in ("", "", "file/"):
        assert tenant.get(at(cast.tenant, f"{public_id}/{path}")).status_code == 200

    for side in (cast.operator, cast.tenant):
        with organization_scope(side.pk):
            rows = LedgerEntry.objects.filter(ground=public_id).order_by("id")
            assert [row.channel for row in rows] == ["page", "export"]
            assert rows[0].subject == incident
            assert {"data": "metrics:gpu", "level": "redacted", "count": 3} in rows[0].shown
        assert public_id in read(browser(side), f"/o/{side.slug}/sharing/ledger/")
    with organization_scope(cast.vendor.pk):
        assert not LedgerEntry.objects.exists()


def test_what_can_t_be_written_down_is_not_shown(
    cast: Cast, incident: str, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    public_id = sent(cast.operator, cast.tenant)
    tenant = browser(cast.tenant)

    def fails(*_: object, **__: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(LedgerEntry.objects, "bulk_create", fails)
    page = read(tenant, at(cast.tenant, f"{public_id}/"))
    answer = tenant.get(at(cast.tenant, f"{public_id}/file/"))

    assert "OPERATOR-WORDS" not in page
    assert "it is not shown" in page
    assert answer.status_code == 302
