"""Browser tests look at every page by the routes: what they leave out is written down here."""

import re

import pytest

from tests.contracts.route_matrix import PARAMETER, inside
from tests.e2e.every_page import routes_of_pages
from tests.pictures.pages import PAGES, PicturedPage

LEFT_OUT = {  # read by scripts of pages, never opened
    "o/<slug:org>/live/stream/",
    "o/<slug:org>/live/changes/",
    "o/<slug:org>/incidents/<str:public_id>/annotations/changes/",
    "o/<slug:org>/incidents/<str:public_id>/timeline/",
}


def test_no_page_inside_an_organization_is_left_out_of_what_browsers_look_at() -> None:
    looked_at = {each.pattern for each in routes_of_pages()}
    assert {each.pattern for each in inside() if each.is_page} - looked_at == LEFT_OUT


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_pictured_is_looked_at(page: PicturedPage) -> None:
    path = f"o/{page.who}/{page.path.partition('?')[0]}"
    patterns = (PARAMETER.sub("[^/]+", each.pattern) for each in routes_of_pages())
    assert any(re.fullmatch(each, path) for each in patterns)
