"""Every route by who was let in once, by tokens of each scope, and by who runs another cluster."""

from collections.abc import Callable
from copy import deepcopy
from itertools import product
from typing import Any

import pytest
from django.test import Client

from apps.fleet.models import ParticipationRole
from apps.tenancy.models import MemberRole, Membership, Token, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member, token
from tests.cast.standing import standing
from tests.contracts.route_matrix import FOLDERS, Route, inside
from tests.contracts.world import World, build

pytestmark = pytest.mark.sweep
Note = Callable[[str, object], None]
ABSENT = dict.fromkeys(FOLDERS, "absent")
CHANGES = ("POST", "PUT", "PATCH", "DELETE")
MACHINE = [route for route in inside() if not route.is_page]

built = standing(build)


@pytest.fixture
def world(built: World, db: None) -> World:
    """One of each."""
    return deepcopy(built)


def _ask(client: Client, method: str, path: str) -> tuple[int, str]:
    answer: Any = client.generic(method, path, "{}", content_type="application/json")
    return answer.status_code, "" if answer.streaming else answer.content.decode()


def _path(route: Route, world: World) -> str:
    return route.path(world.cast.tenant.slug, world.ids)


def test_who_is_no_member_any_more_is_told_nothing(world: World, record_property: Note) -> None:
    person = member(world.cast.tenant, MemberRole.ADMIN).client
    assert person.get(f"/o/{world.cast.tenant.slug}/incidents/").status_code == 200
    with organization_scope(world.cast.tenant.pk):
        Membership.objects.for_organization(world.cast.tenant).filter(
            user=person.session["_auth_user_id"]
        ).delete()

    told = {
        (route.pattern, method): _ask(person, method, _path(route, world))[0]
        for route, method in product(inside(), ("GET", "POST"))
    }
    record_property("counted", len(told))
    assert {each for each, status in told.items() if status != 404} == set()


def test_a_token_that_was_revoked_is_told_nothing(world: World, record_property: Note) -> None:
    machine = token(world.cast.tenant)
    assert machine.get("incidents/").status_code == 200
    with organization_scope(world.cast.tenant.pk):
        Token.objects.for_organization(world.cast.tenant).update(revoked_at=make.AT)

    told = {
        (route.pattern, method): _ask(machine.client, method, _path(route, world))[0]
        for route, method in product(MACHINE, ("GET", "POST"))
    }
    record_property("counted", len(told))
    assert {each for each, status in told.items() if status not in {401, 404}} == set()


def test_a_token_that_sends_reads_and_changes_nothing(world: World, record_property: Note) -> None:
    machine = token(world.cast.tenant, TokenScope.INGEST).client
    told = {
        (route.pattern, method): _ask(machine, method, _path(route, world))[0]
        for route, method in product(MACHINE, ("GET", *CHANGES))
    }
    record_property("counted", len(told))
    assert {each for each, status in told.items() if status < 400} == set()


def test_a_token_that_reads_changes_nothing(world: World, record_property: Note) -> None:
    machine = token(world.cast.tenant, TokenScope.READ).client
    told = {
        (route.pattern, method): _ask(machine, method, _path(route, world))[0]
        for route, method in product(MACHINE, CHANGES)
    }
    record_property("counted", len(told))
    assert {each for each, status in told.items() if status < 400} == set()


def test_a_token_that_changes_reads_nothing(world: World, record_property: Note) -> None:
    machine = token(world.cast.tenant, TokenScope.WRITE).client
    told = {route.pattern: _ask(machine, "GET", _path(route, world))[0] for route in MACHINE}
    record_property("counted", len(told))
    assert {each for each, status in told.items() if status < 400} == set()


def test_who_runs_another_cluster_finds_nothing_of_this_one(
    world: World, record_property: Note
) -> None:
    home = world.cast.stranger
    make.participation(organization=home, cluster=make.cluster(), part=ParticipationRole.OPERATOR)
    person, machine = member(home, MemberRole.ADMIN).client, token(home).client
    asked = [
        (person if route.is_page else machine, method, route)
        for route, method in product(inside(), ("GET", "POST"))
        if route.objects
    ]
    record_property("counted", len(asked))
    differing = {
        (route.pattern, method)
        for client, method, route in asked
        if _ask(client, method, route.path(home.slug, world.ids))[0]
        != _ask(client, method, route.path(home.slug, ABSENT))[0]
    }
    assert differing == set()
