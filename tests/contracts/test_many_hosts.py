"""An attempt on as many hosts as one may name costs what its hosts take to read, and no more."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from apps.diagnosis.model import Coverage, CoverageState
from apps.diagnosis.reasoning.explanation.coverage import unknown_missing
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import correlate_attempt
from apps.tenancy.scope import organization_scope
from tests.cast.parties import NOW, World, build, send
from tests.contracts.forgery_scene import AT, BEGAN, NCCL

MANY = 3000
FEW_PARAMETERS = 300


class Counted(str):
    """A host's name that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        """Compare, and count that."""
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_what_would_settle_a_question_is_found_in_one_pass_over_the_hosts() -> None:
    named = tuple(Counted(f"gpu{number:05}") for number in range(MANY))
    again = frozenset(Counted(str(each)) for each in named)
    state = Coverage(source="kernel-log", state=CoverageState.PRESENT, missing_hosts=named)
    Counted.compared = 0
    found = unknown_missing(coverage=[state], suspects=(), hosts=again)
    assert {len(each.hosts) for each in found} == {MANY}
    assert Counted.compared < 10 * MANY


def story(who: str) -> World:
    """Return parties with a session that failed on many hosts, as somebody told."""
    world = build()
    names = [f"gpu{number:05}" for number in range(MANY)]
    for said in ({"state": "running", "at": BEGAN, "hosts": names}, {"state": "failed"}):
        body: dict[str, Any] = {"at": AT.isoformat(), **said}
        body |= {"session": "job-1", "scheduler": "slurm", "project": "solar"}
        assert send(world, who, "/api/v1/session-events", body).status_code in {200, 202}
    assert send(world, "victim", "/api/v1/logs", NCCL, session="job-1", rank="0").status_code == 200
    return world


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["victim", "platform"])
def test_hosts_travel_as_one_parameter(who: str) -> None:
    world = story(who)
    counts: list[int] = []

    def count(execute: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
        counts.append(len(params or ()))
        return execute(sql, params, *rest)

    with organization_scope(*world.ids):
        attempt = Attempt.objects.get()
        assert len(attempt.hosts) == MANY
    with connection.execute_wrapper(count):
        correlate_attempt(owner_id=attempt.organization_id, attempt_id=attempt.pk, now=NOW)
    assert len(counts) > 20
    assert max(counts) < FEW_PARAMETERS


@pytest.mark.parametrize(
    ("name", "is_whole"),
    [
        ("10.0.0.7", True),
        ("fe80::1", True),
        ("fe80::1%eth0", True),
        ("::ffff:10.0.0.7", True),
        ("10.0.0", False),
        ("1.2.3.4.5", False),
        ("010.0.0.1", False),
        ("7", False),
        ("²3.1.1.1", False),
        ("gpu7.rack2.example", False),
        ("10-0-0-7.example", False),
    ],
)
def test_an_address_stays_whole_and_a_name_is_cut(name: str, *, is_whole: bool) -> None:
    assert (host_names.short(name=name) == name) == (is_whole or "." not in name)
