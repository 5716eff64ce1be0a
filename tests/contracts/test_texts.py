"""Pages speak Korean as well: nothing is untranslated, garbled or left in English."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from django.test import Client

from apps.tenancy.models import MemberRole
from tests.cast import make
from tests.cast.clients import member
from tests.contracts.catalog import PLACEHOLDER, Translation, compiled, wanted, written
from tests.contracts.route_matrix import inside
from tests.contracts.world import build

ENTRIES = written()
KOREAN = {"accept-language": "ko"}
# Three words of a sentence: names of programs and of what was typed are shorter.
ENGLISH = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}|\b[a-z]{3,} [a-z]{3,}")
# What the owner of a source calls it.
NAMED = "kernel log, gpu001"
AGAIN = "run `make messages`, translate what is new in portal/locale, run it again"


def _placeholders(text: str) -> Counter[str]:
    return Counter(set(PLACEHOLDER.findall(text)))


def test_every_text_of_pages_is_in_the_catalog() -> None:
    known = {entry.key for entry in ENTRIES}
    lacking = {text: where for text, where in wanted().items() if text not in known}
    assert lacking == {}, AGAIN


def test_nothing_is_translated_that_nobody_says() -> None:
    assert {entry.key for entry in ENTRIES} - set(wanted()) == set(), AGAIN


def test_every_text_has_its_translation() -> None:
    assert [entry.text for entry in ENTRIES if entry.is_fuzzy or not entry.said] == [], AGAIN


def test_placeholders_agree() -> None:
    def differs(entry: Translation) -> bool:
        return _placeholders(entry.plural or entry.text) != _placeholders(entry.said)

    assert [entry.text for entry in ENTRIES if differs(entry)] == []


def test_spaces_and_ends_of_lines_agree() -> None:
    def edges(text: str) -> tuple[bool, bool]:
        return text.startswith("\n"), text.endswith(("\n", " "))

    assert [entry.text for entry in ENTRIES if edges(entry.text) != edges(entry.said)] == []


def test_what_is_compiled_is_what_is_written() -> None:
    assert compiled() == {entry.key: entry.said for entry in ENTRIES}, AGAIN


class Reading(HTMLParser):
    """The texts of a page that people read, without those marked as English and as code."""

    SILENT = frozenset({"script", "style", "pre", "code", "kbd", "textarea"})
    EMPTY = frozenset({"meta", "link", "input", "br", "img", "hr"})
    SHOWN = ("title", "aria-label", "placeholder", "alt")

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[bool] = []  # whether each open element keeps silent

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter an element."""
        told = dict(attrs)
        is_code = tag in self.SILENT or "mono" in (told.get("class") or "").split()
        is_silent = is_code or told.get("lang") == "en" or any(self._open)
        self.texts += [told.get(name) or "" for name in self.SHOWN if not is_silent]
        if tag not in self.EMPTY:
            self._open.append(is_silent)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Pass an element that ends at once, as in drawings."""

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._open.pop()

    def handle_data(self, data: str) -> None:
        """Take what stands in it."""
        self.texts += [] if any(self._open) else [data]


def _english(page: str) -> list[str]:
    reading = Reading()
    reading.feed(page)
    assert reading._open == []
    return [text.strip() for text in reading.texts if ENGLISH.search(text.replace(NAMED, ""))]


@pytest.mark.sweep
@pytest.mark.parametrize("owner", ["tenant", "operator"])
def test_no_page_falls_back_to_english(db: None, owner: str) -> None:
    world = build()
    organization = getattr(world.cast, owner)
    client = member(organization, MemberRole.ADMIN).client
    left: dict[str, list[str]] = {}
    for route in [each for each in inside() if each.is_page]:
        answer = client.get(route.path(organization.slug, world.ids), headers=KOREAN)
        is_page = answer.get("Content-Type", "").startswith("text/html")
        if answer.status_code == 200 and is_page:
            left[route.pattern] = _english(answer.content.decode())

    assert len(left) >= 20
    assert {pattern: texts for pattern, texts in left.items() if texts} == {}


@pytest.mark.parametrize("path", ["/sign-in/", "/join/ABC/", "/no-such-page/"])
def test_the_door_speaks_korean(db: None, path: str) -> None:
    page = Client().get(path, headers=KOREAN).content.decode()

    assert '<html lang="ko"' in page
    assert _english(page) == []


def test_a_choice_of_language_outlasts_what_the_browser_asks_for(db: None) -> None:
    client = Client()
    client.post("/i18n/setlang/", {"language": "ko", "next": "/sign-in/"})

    assert "로그인" in client.get("/sign-in/", headers={"accept-language": "en"}).content.decode()


def test_machines_are_answered_in_english_whatever_they_ask_for(db: None) -> None:
    organization = make.organization()
    there = f"/api/v1/o/{organization.slug}/incidents/?limit=x"
    client = member(organization, MemberRole.ADMIN).client

    assert client.get(there, headers=KOREAN).content == client.get(there).content
