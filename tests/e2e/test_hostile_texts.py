"""What a party writes runs in nobody's page: names, reasons, annotations, evidence, labels."""

import pytest
from playwright.sync_api import Dialog
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import MemberRole, Organization
from tests.cast import make
from tests.contracts.world import build
from tests.e2e.conftest import OpenPage
from tests.e2e.every_page import opens, routes_of_pages
from tests.e2e.hostile_texts import INJECTED, write_hostile
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]


@pytest.mark.usefixtures("lately")
@pytest.mark.parametrize("part", ["tenant", "operator"])
def test_texts_of_parties_stay_texts_on_every_page(
    live_server: LiveServer, open_page: OpenPage, part: str
) -> None:
    world = build()
    write_hostile(world)
    who: Organization = getattr(world.cast, part)
    page = open_page(loads_all=False)
    dialogs: list[str] = []

    def heard(dialog: Dialog) -> None:
        dialogs.append(f"{page.url}: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", heard)
    sign_in(page, live_server.url, make.user(organization=who, role=MemberRole.ADMIN))
    found, shown = [], 0
    for path in dict.fromkeys(each.path(who.slug, world.ids) for each in routes_of_pages()):
        if opens(page, f"{live_server.url}{path}"):
            found += [f"{path}: {each}" for each in page.evaluate(INJECTED)]
            shown += "data-injected" in page.locator("body").inner_text()
    assert (found, dialogs) == ([], [])
    assert shown > 10  # pages that say it as a text: else nothing was tried
