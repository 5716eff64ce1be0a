"""GET …/sessions/<id>/recovery/<attempt>/: what a job told of recovering in place."""

from typing import Any

import pytest
from django.test import Client

from apps.fleet.models import Session
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.models import Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import agreements, make, pushes
from tests.cast.degraded_job import LATER, job, look, scene
from tests.cast.pushes import Answer, Cast

pytestmark = pytest.mark.django_db


def read(people: Cast, reader: Organization, *, attempt: str = "1") -> Answer:
    """Ask as an organization does."""
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
    token = pushes.token(reader, scope=TokenScope.READ)
    path = f"/api/v1/o/{reader.slug}/sessions/{session.public_id}/recovery/{attempt}/"
    return Client().get(path, headers={"Authorization": f"Bearer {token}"})


def told(people: Cast, reader: Organization) -> dict[str, Any]:
    """Return what an organization reads."""
    answer = read(people, reader)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def shows(people: Cast, level: Level) -> None:
    """Let the tenant show the operator sessions around incidents."""
    rule = SharingRule(data="sessions", level=level, where=Place.INCIDENTS)
    agreements.agreed(
        people.tenant, people.operator, people.cluster, terms={people.tenant.slug: (rule,)}
    )


def test_its_tenant_reads_all_of_it() -> None:
    people = scene(job())
    found = told(people, people.tenant)
    assert (found["lost_gpus"], found["alive_gpus"], found["steps_shown"]) == (8, 24, True)
    assert [each["replica"] for each in found["losses"]] == ["dp0"]
    assert [each["alive_gpus"] for each in found["lane"]] == [32, 24]
    assert [each["degraded"] for each in found["lane"]] == [False, True]
    assert found["steps_committed"] == 21
    assert found["microbatches"] is None
    assert found["worth"] is None


def test_the_attempt_itself_says_that_it_is_degraded() -> None:
    people = scene(job())
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
    for reader in (people.tenant, people.platform, people.operator):
        token = pushes.token(reader, scope=TokenScope.READ)
        path = f"/api/v1/o/{reader.slug}/sessions/{session.public_id}/"
        answer = Client().get(path, headers={"Authorization": f"Bearer {token}"})
        (attempt,) = answer.json()["attempts"]
        assert (attempt["state"], attempt["degraded"]) == ("running", True)
        assert (attempt["lost_gpus"], attempt["alive_gpus"]) == (8, 24)


def test_who_runs_the_cluster_reads_the_lane_and_no_steps() -> None:
    people = scene(job())
    look(people, LATER)
    found = told(people, people.operator)
    assert (found["lost_gpus"], found["alive_gpus"], found["steps_shown"]) == (8, 24, False)
    assert [each["replica"] for each in found["losses"]] == ["replica 1"]
    assert found["losses"][0]["step"] is None
    for hidden in ("steps_committed", "violations", "lost_steps", "worth", "loss_jumps"):
        assert found[hidden] is None


@pytest.mark.parametrize("level", [Level.REDACTED, Level.FULL])
def test_by_an_agreement_on_sessions_it_reads_steps_and_the_ledger_has_it(level: Level) -> None:
    people = scene(job())
    look(people, LATER)
    shows(people, level)
    found = told(people, people.operator)
    assert found["steps_shown"]
    assert found["steps_committed"] == 21
    assert [each["replica"] for each in found["losses"]] == ["replica 1"]
    assert found["loss_jumps"] is None
    with organization_scope(people.tenant.pk):
        assert LedgerEntry.objects.exists()


def test_a_signal_shows_no_steps() -> None:
    people = scene(job())
    look(people, LATER)
    shows(people, Level.SIGNAL)
    assert not told(people, people.operator)["steps_shown"]


def test_an_agreement_with_one_party_shows_another_nothing() -> None:
    people = scene(job())
    look(people, LATER)
    shows(people, Level.FULL)
    assert not told(people, people.platform)["steps_shown"]


def test_another_tenant_and_an_unknown_attempt_are_not_found() -> None:
    people = scene(job())
    assert read(people, people.other).status_code == 404
    assert read(people, make.organization()).status_code == 404
    assert read(people, people.tenant, attempt="7").status_code == 404


def test_where_nothing_is_told_it_says_so() -> None:
    people = scene([])
    found = told(people, people.tenant)
    assert (found["lost_gpus"], found["steps_shown"], found["lane"]) == (None, False, [])
