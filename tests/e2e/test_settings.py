"""Set-up in a real browser: a link, a password, the tabs of the settings, a phone."""

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import MemberRole
from apps.tenancy.people import invitations
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import assemble
from tests.e2e.conftest import OpenPage

PASSWORD = "correct horse battery"  # noqa: S105  of a test
TABS = ("members", "tokens", "clusters", "audit", "you")


# Sentences in cells that became cards, narrower than words want.
SQUEEZED = """() => [...document.querySelectorAll('.cards td .caption')]
  .filter(each => each.innerText.length > 30)
  .map(each => each.getBoundingClientRect())
  .filter(box => box.width < 100 || box.right > 390).length"""


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_first_admin_comes_in_by_link_and_walks_through_the_settings(
    live_server: LiveServer, open_page: OpenPage
) -> None:
    cast = assemble()
    with organization_scope(cast.operator.pk):
        code = invitations.issue(
            organization=cast.operator,
            wish=InvitationWish(role=MemberRole.ADMIN, name="Ada Okafor"),
            invited_by="command",
            now=timezone.now(),  # noqa: TID251  the page reads the clock
        ).code
    page = open_page(width=390)
    page.goto(f"{live_server.url}/join/{code}/")
    page.fill("#username", "ada")
    page.fill("#password", PASSWORD)
    page.fill("#again", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/o/{cast.operator.slug}/")

    for tab in TABS:
        page.goto(f"{live_server.url}/o/{cast.operator.slug}/settings/{tab}/")
        assert page.locator(".tabs [aria-current=page]").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(SQUEEZED) == 0
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/settings/members/")
    page.fill("#invite-name", "Noor Haddad")
    page.press("#invite-name", "Enter")
    page.wait_for_selector("#made-link")
    assert "/join/" in page.inner_text("#made-link")
