"""Whatever stands behind the question mark, no route fails of it, and each names what is wrong.

Machines get a refusal that names the parameter. People get the page, with a word about the value.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.messages import get_messages
from django.urls import resolve

from apps.diagnosis.spelling import MOST_TOLD
from apps.tenancy.models import MemberRole, Organization
from apps.web.shell.address_filters import PARAMETERS
from tests.cast.clients import member
from tests.cast.standing import standing
from tests.contracts.route_matrix import FOLDERS, Route, inside
from tests.contracts.world import World, build

pytestmark = pytest.mark.sweep
LONG = "7" * 10_000
NUL = "a\x00b"
ODD = ("-1", "1e9", "abc", "9999-99-99", "0001-01-01T00:00:00+14:00", "٣", "\ud800", "", NUL, LONG)
NOWHERE_RIGHT = (NUL, LONG)
# Parameters that may be any word: where nothing has it, an answer without rows is right.
WORDS = {"cluster", "host", "party", "holder", "place", "session", "name", "tenant", "q", "source"}
# Without these nothing is looked for.
NEEDED = {"stream": "session", "number": "1", "holder": "nobody", "place": "nowhere"}
# The same of one route alone, by its last part.
NEEDED_OF = {
    "query/": {
        "q": "up",
        "source": "SRC-none",
        "from": "2026-11-21T00:00:00Z",
        "until": "2026-11-21T01:00:00Z",
    },
    "<str:key>/search/": {"q": "gpu"},
}
# Of these a page says nothing: its own scripts and links write them, or it shows what they lack.
SILENT = {
    *("q", "seen", "notes", "diagnosis", "since", "had", "held", "line", "all", "check"),
    *("stream", "host", "cluster", "ask_of", "ask_for", "session", "with", "open"),
}


def asked_by(route: Route) -> tuple[str, ...]:
    """Return the parameters that a page asks its address for."""
    return PARAMETERS.get(resolve(route.path("x", _ABSENT)).url_name or "", ())


_ABSENT = dict.fromkeys(FOLDERS, "absent")
INTERFACE = [each for each in inside() if not each.is_page and each.parameters]
PAGES = [each for each in inside() if each.is_page and asked_by(each)]


built = standing(build)


@pytest.fixture
def world(built: World, db: None) -> World:
    """One of each."""
    return deepcopy(built)


def owner_of(route: Route, world: World) -> Organization:
    """Return who may look at what a route names."""
    return world.owners[route.objects[0]] if route.objects else world.cast.operator


def query(given: Mapping[str, str]) -> str:
    """Return a query, its values as a browser or a script may send them."""
    return urlencode(given, errors="surrogatepass")


def refused(answer: Any) -> set[str]:
    """Return the parameters that a refusal names."""
    if answer.status_code != 400 or answer["Content-Type"] != "application/problem+json":
        return set()
    return {each["field"] for each in answer.json()["errors"]}


def test_there_are_routes_that_take_parameters() -> None:
    assert len(INTERFACE) > 20
    assert len(PAGES) >= len(PARAMETERS) - 1


@pytest.mark.parametrize("route", INTERFACE, ids=lambda route: route.pattern)
def test_the_interface_refuses_odd_values_by_name(route: Route, world: World) -> None:
    owner, names = owner_of(route, world), route.parameters
    path, client = route.path(owner.slug, world.ids), member(owner, MemberRole.ADMIN).client
    needed = NEEDED | next((n for end, n in NEEDED_OF.items() if route.pattern.endswith(end)), {})
    wrong = []
    for name in names:
        beside = {each: right for each, right in needed.items() if each in names - {name}}
        for value in ODD:
            answer: Any = client.get(f"{path}?{query(beside | {name: value})}")
            may_stand = value not in NOWHERE_RIGHT and (value != "abc" or name in WORDS)
            # 501: an extra that is not installed here.
            right = {200, 404, 501} if path.endswith(".pdf") else {200, 404}
            is_right = may_stand and answer.status_code in right
            if not is_right and refused(answer) != {name}:
                wrong.append((name, value[:30], answer.status_code))
        twice: Any = client.get(f"{path}?{name}=1&{name}=2")
        if name not in refused(twice):
            wrong.append((name, "twice", twice.status_code))

    assert wrong == []


@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.pattern)
def test_pages_stand_and_speak_of_odd_values(route: Route, world: World) -> None:
    owner, names = owner_of(route, world), asked_by(route)
    path, client = route.path(owner.slug, world.ids), member(owner, MemberRole.ADMIN).client
    told_of = [name for name in names if name not in SILENT]
    silent = []
    for value in ODD:
        answer: Any = client.get(f"{path}?{query(dict.fromkeys(names, value))}")
        assert answer.status_code < 500, value
        is_told = len(told(answer)) >= len(told_of) or not value
        if answer.status_code == 200 and not is_told:
            silent.append(value[:30])
    nul: Any = client.get(f"{path}?{query(dict.fromkeys(names, NUL))}")

    assert silent == []
    assert nul.status_code == 400
    assert ", ".join(names[:MOST_TOLD]) in nul.content.decode()


@pytest.mark.parametrize("name", ["page", "limit", "from"])
def test_a_page_says_what_it_does_not_take(world: World, name: str) -> None:
    client = member(world.cast.operator, MemberRole.ADMIN).client

    answer = client.get(f"/o/{world.cast.operator.slug}/settings/members/?{name}=-1")

    assert name in " ".join(told(answer))


def told(answer: Any) -> list[str]:
    """Return what a page says about its address."""
    return [str(each) for each in get_messages(answer.wsgi_request)]
