"""What is sent by a script and not done: it says so, keeps what was typed, and leads on."""

from collections.abc import Callable

import pytest
from django.conf import settings
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.incidents.models import Annotation, Incident
from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import MemberRole, Membership, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
TYPED = "half an hour of typing"
Bar = Callable[[Page, User], None]


def _require_factor(page: Page, user: User) -> None:
    own = Organization.objects.filter(pk__in=memberships_of(user_id=user.pk))
    own.update(requires_second_factor=True)


def _end_session(page: Page, user: User) -> None:
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)


def _end_membership(page: Page, user: User) -> None:
    with organization_scope(*memberships_of(user_id=user.pk)):
        Membership.objects.filter(user=user).delete()


def _lose_token(page: Page, user: User) -> None:
    page.context.clear_cookies(name=settings.CSRF_COOKIE_NAME)


BARS = {
    "factor": (_require_factor, "asks for a second factor now", "Set it up"),
    "session": (_end_session, "you are signed out", "Load the page again"),
    "membership": (_end_membership, "may not do this any more", "Load the page again"),
    "token": (_lose_token, "too old to send from", "Load the page again"),
}


def _typed_annotation(page: Page) -> Locator:
    form = page.locator("#note-form")
    form.locator("textarea[name=text]").fill(TYPED)
    return form


def _typed_resolution(page: Page) -> Locator:
    page.locator("#resolve > summary").click()
    page.locator("#resolve-reason").select_option(label="A part was replaced")
    page.locator("#resolve-text").fill(TYPED)
    return page.locator("#resolve form")


@pytest.mark.parametrize("typed", [_typed_annotation, _typed_resolution])
@pytest.mark.parametrize(("bar", "why", "way"), BARS.values(), ids=BARS)
def test_what_was_barred_meanwhile_is_not_done_and_stays_typed(
    cast: Cast,
    incident: Incident,
    live_server: LiveServer,
    open_page: OpenPage,
    *,
    typed: Callable[[Page], Locator],
    bar: Bar,
    why: str,
    way: str,
) -> None:
    page = open_page(loads_all=False)
    user = make.user(organization=cast.operator, role=MemberRole.ADMIN)
    sign_in(page, live_server.url, user)
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/incidents/{incident.public_id}/")
    form = typed(page)
    bar(page, user)
    form.locator("button[type=submit]").first.click()

    alert = form.locator("[data-unsent]")
    expect(alert).to_contain_text(why)
    expect(alert.get_by_role("link", name=way)).to_be_visible()
    expect(form.locator("textarea[name=text]")).to_have_value(TYPED)
    with organization_scope(*cast.ids):
        assert not Annotation.objects.exists()
        assert Incident.objects.get(pk=incident.pk).resolved_at is None
