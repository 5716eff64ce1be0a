"""Every page keeps WCAG 2.2 AA as axe-core tells it: in each theme, at a desk and on a phone."""

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from tests.cast import make
from tests.cast.incidents import Cast, attempt_of
from tests.cast.many_logs import many_logs
from tests.e2e.axe_looks import violations
from tests.e2e.conftest import OpenPage
from tests.e2e.every_page import SIGNED_OUT, build_every_page, opens
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]
OPEN_FOLDS = "document.querySelectorAll('details.log-fold').forEach((each) => { each.open = 1; })"
FEWEST = 50  # pages: fewer were found, so the routes are not what they were


@pytest.mark.usefixtures("lately")
def test_no_page_breaks_a_rule_in_any_theme_or_width(
    live_server: LiveServer, open_page: OpenPage
) -> None:
    made = build_every_page(now=timezone.now())  # noqa: TID251  pages look at the clock
    page = open_page(loads_all=False)
    base = live_server.url
    found: list[str] = []
    looked_at = 0
    for path in SIGNED_OUT:
        assert opens(page, f"{base}{path}")
        found += violations(page)
    sign_in(page, base, made.person)
    for path in made.addresses:
        if opens(page, f"{base}{path}"):
            looked_at += 1
            found += violations(page)
    assert not found, "\n".join(found)
    assert looked_at > FEWEST


@pytest.mark.usefixtures("lately")
def test_folded_logs_break_no_rule_closed_or_open(
    cast: Cast, live_server: LiveServer, open_page: OpenPage
) -> None:
    session = attempt_of(cast, cast.tenant).session
    many_logs(cast.tenant, session, now=timezone.now())  # noqa: TID251  pages look at the clock
    page = open_page()
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    inside = f"{live_server.url}/o/{cast.tenant.slug}"
    page.goto(f"{inside}/sources/")
    assert page.locator("a.fold-name[aria-expanded=false]").count() == 2
    page.locator("a.fold-name").first.click()
    page.wait_for_selector("a.fold-name[aria-expanded=true]")
    assert page.get_by_text("knows no").count() == 0
    found = list(violations(page))
    page.goto(f"{inside}/sessions/{session.public_id}/")
    assert page.locator("details.log-fold").count() == 2
    page.evaluate(OPEN_FOLDS)
    found += violations(page)
    assert not found, "\n".join(found)
