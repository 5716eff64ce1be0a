"""Every route by every kind of object by a member and a token of another, and by nobody."""

from collections.abc import Callable
from copy import deepcopy
from itertools import product
from typing import Any

import pytest
from django.test import Client

from apps.tenancy.models import MemberRole, TokenScope
from tests.cast.answers import answered
from tests.cast.clients import member, token
from tests.cast.standing import standing
from tests.contracts.route_matrix import FOLDERS, OPEN, PUSHES, Route, inside, routes
from tests.contracts.world import World, build

pytestmark = pytest.mark.sweep
Note = Callable[[str, object], None]
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
ONE_OF_MANY = {
    f"api/v1/o/<str:organization>/incidents/<str:public_id>/{name}/"
    for name in ("log-lines", "shared-log-lines")
} | {"api/v1/o/<str:organization>/logs/<str:key>/search/"}
OF_WHO_IS_ASKED = {
    "api/v1/o/<str:organization>/evidence-requests/<str:public_id>/checks/",
    "o/<slug:org>/sharing/evidence-requests/<str:public_id>/answer/",
}
ABSENT = dict.fromkeys(FOLDERS, "absent")
RECEIVERS = [route for route in routes() if route.pattern in PUSHES]
WITH_OBJECT = [route for route in inside() if route.objects]


built = standing(build)


@pytest.fixture
def world(built: World, db: None) -> World:
    """One of each."""
    return deepcopy(built)


def _ask(client: Client, method: str, path: str) -> tuple[int, bytes, str]:
    kind = "application/json" if path.startswith("/api/") else "application/x-www-form-urlencoded"
    answer: Any = client.generic(method, path, "{}" if "json" in kind else "", content_type=kind)
    body = b"" if answer.streaming else answer.content
    return answer.status_code, _without_names(body, path), answer.get("Location", "")


def _without_names(body: bytes, path: str) -> bytes:
    # What was asked for may be said again; that alone may differ.
    for word in sorted(set(path.strip("/").split("/")), key=len, reverse=True):
        body = body.replace(word.encode(), b"*")
    return body


def test_every_route_is_in_the_matrix() -> None:
    others = {route.pattern for route in routes() if not route.is_inside}

    assert others - OPEN - PUSHES == set()
    assert all(route.objects is not None for route in inside())


@pytest.mark.parametrize("route", inside(), ids=lambda route: route.pattern)
def test_another_organization_is_not_found(
    route: Route, world: World, record_property: Note
) -> None:
    outsiders = [member(world.cast.stranger, MemberRole.ADMIN).client]
    outsiders += [token(world.cast.stranger).client] if not route.is_page else []
    record_property("counted", 2 * len(outsiders) * len(METHODS))
    for client, method in product(outsiders, METHODS):
        absent = _ask(client, method, route.path("absent", ABSENT))
        for owner in (world.cast.tenant, world.cast.operator):
            status, body, _ = _ask(client, method, route.path(owner.slug, world.ids))

            assert status == 404
            assert (status, body) == absent[:2]


@pytest.mark.parametrize("route", WITH_OBJECT, ids=lambda route: route.pattern)
def test_the_things_of_others_are_not_found_at_home(
    route: Route, world: World, record_property: Note
) -> None:
    home = world.cast.stranger
    askers = [member(home, MemberRole.ADMIN).client]
    askers += [token(home).client] if not route.is_page else []
    record_property("counted", len(askers) * len(METHODS))
    for client, method in product(askers, METHODS):
        foreign = _ask(client, method, route.path(home.slug, world.ids))
        absent = _ask(client, method, route.path(home.slug, ABSENT))

        assert foreign == absent
        assert foreign[0] in {404, 405}


@pytest.mark.parametrize("route", inside(), ids=lambda route: route.pattern)
def test_nobody_is_told_what_exists(route: Route, world: World, record_property: Note) -> None:
    record_property("counted", len(METHODS))
    for method in METHODS:
        status, body, where = _ask(Client(), method, route.path(world.cast.tenant.slug, world.ids))
        absent = _ask(Client(), method, route.path("absent", ABSENT))

        assert (status, body) == absent[:2]
        is_sent_to_the_door = route.is_page and method in {"GET", "HEAD"}
        assert status == (302 if is_sent_to_the_door else 404)
        assert where.startswith("/sign-in/") or not is_sent_to_the_door


@pytest.mark.parametrize("route", RECEIVERS, ids=lambda route: route.pattern)
@pytest.mark.django_db
def test_a_push_without_a_token_is_refused(route: Route) -> None:
    answer = Client().post(f"/{route.pattern}", "{}", content_type="application/json")

    assert answer.status_code == 401


@pytest.mark.parametrize("route", RECEIVERS, ids=lambda route: route.pattern)
def test_a_push_with_a_token_that_may_only_read_is_refused(route: Route, world: World) -> None:
    asking = token(world.cast.tenant, TokenScope.READ, TokenScope.WRITE)
    answer = asking.client.post(f"/{route.pattern}", "{}", content_type="application/json")

    assert answer.status_code in {401, 403}


@pytest.mark.parametrize("route", WITH_OBJECT, ids=lambda route: route.pattern)
def test_whoever_may_see_it_does(route: Route, world: World) -> None:
    # Else the matrix would pass on routes that answer 404 to everybody.
    owner = world.owners[route.objects[-1]]
    if route.pattern in OF_WHO_IS_ASKED:
        owner = world.cast.operator
    elif route.pattern.endswith("/answer/"):
        answered(world.ids["evidence-requests"], world.cast.operator, ["gpu-temperature"])
    status, _, _ = _ask(
        member(owner, MemberRole.ADMIN).client, "GET", route.path(owner.slug, world.ids)
    )

    # 302: an address of a form leads to the page with the form. 400: it asks which of many.
    # 204: a stream, of which a client that keeps no connection gets nothing.
    is_stream = status == 204 and route.pattern.endswith("/stream/")
    is_choice = status == 400 and route.pattern in ONE_OF_MANY
    # 501: an extra that is not installed here.
    is_lacking = status == 501 and route.pattern.endswith("/export.pdf")
    assert status in {200, 302, 405} or is_stream or is_choice or is_lacking
