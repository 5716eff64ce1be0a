"""The timeline in a reader's own colours: its words and grounds are theirs, not the theme's."""

from typing import Final

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from apps.incidents.models import Incident
from tests.cast import make
from tests.cast.incidents import Cast
from tests.e2e.conftest import OpenPage
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
# Every colour of the drawing's words, and of the page's: the reader's own is one of them alone.
WORDS: Final = """() => [...new Set([...document.querySelectorAll("svg.plot text")]
  .map((each) => getComputedStyle(each).fill))]"""
OWN: Final = "() => getComputedStyle(document.body).color"
GROUNDS: Final = """() => [...document.querySelectorAll("svg.plot :is(.lane-shade, .window)")]
  .map((each) => getComputedStyle(each).fill)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_of_the_timeline_are_in_the_readers_colour(
    cast: Cast, incident: Incident, live_server: LiveServer, open_page: OpenPage, scheme: str
) -> None:
    page = open_page(forced_colors="active", color_scheme=scheme)
    sign_in(page, live_server.url, make.user(organization=cast.tenant))
    page.goto(f"{live_server.url}/o/{cast.tenant.slug}/incidents/{incident.public_id}/")
    expect(page.locator("svg.plot .label-quiet").first).to_be_attached()

    assert page.evaluate(WORDS) == [page.evaluate(OWN)]
    grounds = page.evaluate(GROUNDS)
    assert grounds
    assert set(grounds) == {"none"}
