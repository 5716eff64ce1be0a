"""Browser tests look at every page by the routes: what they leave out is written down here.

Its pictures lie in docs/img, and docs/pictures.md shows them page by page.
"""

import re
from pathlib import Path

import pytest

from tests.contracts.route_matrix import PARAMETER, inside
from tests.e2e.every_page import routes_of_pages
from tests.pictures.pages import PAGES, PicturedPage
from tests.pictures.views import ENDING, VIEWS

DOCS = Path(__file__).parents[2] / "docs"
LARGEST, LARGEST_OF_ALL = 80_000, 5_000_000  # bytes: who clones the project gets them all

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


def _pictures() -> set[str]:
    return {f"{page.name}-{view.name}{ENDING}" for page in PAGES for view in VIEWS}


def test_each_pictured_page_has_its_pictures_and_none_is_left_over() -> None:
    assert {each.name for each in (DOCS / "img").iterdir()} == _pictures()


def test_the_page_of_pictures_links_each_of_them() -> None:
    text = (DOCS / "pictures.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(img/([^)]+)\)", text)) == _pictures()


def test_pictures_are_small() -> None:
    sizes = {each.name: each.stat().st_size for each in (DOCS / "img").iterdir()}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}
    assert sum(sizes.values()) <= LARGEST_OF_ALL
