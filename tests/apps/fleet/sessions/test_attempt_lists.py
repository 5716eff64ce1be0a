"""The attempts of sessions in one answer: as many hosts and ranks as it can hold, fairly."""

from typing import Any

import pytest

from apps.fleet.facade.sessions import attempts_of, list_sessions
from apps.fleet.models import Attempt
from apps.fleet.sessions import attempt_lists
from apps.fleet.values import AttemptView
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import actor
from tests.cast.parties import World, build, send

pytestmark = pytest.mark.django_db
MANY = [f"n{number:05}" + "x" * 60 for number in range(500)]


def _told(world: World, who: str, session: str, **said: Any) -> None:
    event = {"session": session, "state": "running", **said}
    assert send(world, who, "/api/v1/session-events", event).status_code == 200


def _read(world: World, who: str) -> dict[str, tuple[AttemptView, ...]]:
    party = world.parties[who]
    with organization_scope(party.pk):
        reader = actor(party)
        sessions = list(list_sessions(actor=reader))
        found = attempts_of(actor=reader, sessions=sessions)
        return {each.name: found[each.id] for each in sessions}


def test_a_tenants_heavy_session_is_cut_in_the_operators_list_and_others_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attempt_lists, "MOST_BYTES", 100_000)
    world = build()
    for number in range(1, 6):
        _told(world, "tenant", "heavy", attempt=number, hosts=MANY)
    ranks = {"0": {"host": "gpu001", "gpu": 0}}
    _told(world, "victim", "light", hosts=["gpu001"], ranks=ranks)

    for who, names in (("operator", {"heavy", "light"}), ("tenant", {"heavy"})):
        read = _read(world, who)
        assert read.keys() == names
        heavy = read["heavy"]
        assert [each.number for each in heavy] == [1, 2, 3, 4, 5]
        assert [each.is_cut for each in heavy] == [True, True, True, False, False]
        assert [len(each.hosts) for each in heavy] == [0, 0, 0, 500, 500]
        assert {each.state for each in heavy} == {"running"}
    (light,) = _read(world, "operator")["light"]
    assert (light.hosts, light.is_cut, light.ranks["0"]["gpu"]) == (["gpu001"], False, 0)


def test_what_fits_is_whole() -> None:
    world = build()
    for number in range(1, 4):
        _told(world, "tenant", "job", attempt=number, hosts=MANY)
    assert [len(each.hosts) for each in _read(world, "operator")["job"]] == [500, 500, 500]
    with organization_scope(*world.ids):
        weights = set(Attempt.objects.values_list("weight", flat=True))
    assert min(weights) > 500 * 66
