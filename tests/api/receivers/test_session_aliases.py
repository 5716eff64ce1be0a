"""Logs under any number of a job, and the scheduler's word for it, are one session in any order."""

from typing import Any

import pytest

from apps.fleet.models import Session
from apps.telemetry.models import LogStream
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast, drain_all, push_json, push_text

LINE = "2026-11-21T02:00:00Z rank0: step 1\n"
EVENT = {"scheduler": "slurm", "project": "solar"}
TASK = {**EVENT, "session": "812_3", "aliases": ["815"], "state": "running", "hosts": ["gpu001"]}
LEADER = {**EVENT, "session": "812", "aliases": ["812+0"], "state": "running", "hosts": ["gpu001"]}
NUMBERS = ("813", "812+1", "812", "812+0")
ORDERS = [NUMBERS, NUMBERS[::-1]]
COMPONENT = {**EVENT, "session": "812", "aliases": ["813", "812+1"]}


@pytest.fixture
def people(db: None) -> Cast:
    """Return the parties of a cluster with their tokens."""
    return cast()


def tell(people: Cast, said: Any, by: Organization | None = None) -> None:
    """Tell of a session, as the platform unless another does."""
    at = {"at": "2026-11-21T02:00:00Z"} if "state" in said else {}
    token = people.token(by or people.platform)
    assert push_json("/api/v1/session-events", token, {**said, **at}).json()["rejected"] == []


def send(people: Cast, session: str, by: Organization | None = None, **labels: str) -> None:
    """Send a log under a name, as the tenant unless another does."""
    token = people.token(by or people.tenant)
    answer = push_text(token, LINE, session=session, stream="session", **labels)
    assert answer.status_code == 200
    drain_all(people.tenant, people.platform)


def sessions(owner: Organization) -> list[tuple[str, tuple[str, ...]]]:
    """Return name and aliases of each session of an organization."""
    with organization_scope(owner.pk):
        rows = Session.objects.for_organization(owner).order_by("id")
        return [(row.name, tuple(row.aliases)) for row in rows]


def test_a_log_under_the_number_of_a_task_is_of_the_task(people: Cast) -> None:
    tell(people, TASK)
    send(people, "815")
    send(people, "812_3", rank="1")

    assert sessions(people.tenant) == [("812_3", ("815",))]


def test_a_log_that_came_before_the_scheduler_spoke_is_of_the_task_as_well(people: Cast) -> None:
    send(people, "815")
    tell(people, TASK)
    send(people, "815", rank="1")

    assert sessions(people.tenant) == [("812_3", ("815",))]


@pytest.mark.parametrize("names", ORDERS)
def test_a_heterogeneous_job_is_one_session_under_all_its_numbers(
    people: Cast, names: tuple[str, ...]
) -> None:
    for each in (COMPONENT, LEADER):
        tell(people, each)
    for name in names:
        send(people, name)

    assert sessions(people.tenant) == [("812", ("813", "812+1", "812+0"))]


def test_a_log_of_the_platform_waits_for_the_name_that_it_knows(people: Cast) -> None:
    send(people, "815", by=people.platform)
    tell(people, TASK)

    with organization_scope(people.platform.pk, people.tenant.pk):
        assert [str(each.session) for each in LogStream.objects.all()] == ["812_3"]


def test_what_a_tenant_calls_its_own_finds_no_log_of_others_for_it(people: Cast) -> None:
    tell(people, {**EVENT, "session": "mine", "aliases": ["815"], "project": ""}, by=people.other)
    tell(people, {**EVENT, "session": "mine", "project": "lunar"})
    tell(people, {**EVENT, "session": "mine", "aliases": ["815"], "project": ""}, by=people.other)
    send(people, "815", by=people.platform)

    with organization_scope(people.platform.pk, people.other.pk):
        assert [each.session for each in LogStream.objects.all()] == [None]


def test_no_alias_takes_what_the_scheduler_told_of(people: Cast) -> None:
    tell(people, {**EVENT, "session": "815", "state": "running"})
    tell(people, TASK)
    send(people, "815")

    assert sessions(people.tenant) == [("815", ()), ("812_3", ("815",))]


@pytest.mark.parametrize("aliases", ["815", [{}], {"a": 1}])
def test_aliases_that_are_no_list_of_names_are_refused(people: Cast, aliases: Any) -> None:
    said = {**EVENT, "session": "812_3", "aliases": aliases}
    answer = push_json("/api/v1/session-events", people.token(people.platform), said)

    assert answer.status_code == 400
    assert sessions(people.tenant) == []
