"""POST /api/v1/recovery-events: a job tells of losing GPUs and running on."""

import random
from typing import Any

import pytest

from apps.fleet.models import Attempt, ParticipationRole, Session
from apps.telemetry.models import RecoveryBlock, TouchedWindow
from apps.telemetry.recovery import fact_blocks, reports
from apps.telemetry.recovery.run_state import stored_run
from apps.tenancy.scope import organization_scope
from tests.cast import make, pushes
from tests.cast.pushes import Cast, cast, push_json
from tests.cast.recovery_events import (
    GPUS,
    PATH,
    SESSION,
    Event,
    began,
    committed,
    lost,
    story,
    tell,
)


def attempt_of(people: Cast) -> Attempt:
    """Return the tenant's only attempt as the tenant sees it."""
    with organization_scope(people.tenant.pk):
        return Attempt.objects.select_related("session").get()


def bodies(people: Cast) -> list[tuple[str, int, bytes]]:
    """Return everything that is kept of it."""
    with organization_scope(people.tenant.pk):
        rows = RecoveryBlock.objects.order_by("part", "block")
        return [(row.part, row.block, bytes(row.body)) for row in rows]


@pytest.mark.django_db
def test_a_job_that_lost_a_replica_is_known_as_degraded() -> None:
    people = cast()
    answer = tell(people, story())
    assert answer.status_code == 200, answer.content
    assert answer.json() == {"accepted": 85, "rejected": []}
    attempt = attempt_of(people)
    assert (attempt.lost_gpu_count, attempt.alive_gpu_count) == (8, GPUS - 8)
    with organization_scope(people.tenant.pk):
        found = stored_run(attempt=attempt)
        assert TouchedWindow.objects.filter(attempt=attempt).exists()
    assert found is not None
    assert len(found.run.commits) == 80
    assert [each.replica for each in found.run.losses] == ["llama-dp3"]


@pytest.mark.django_db
def test_late_and_doubled_events_change_nothing() -> None:
    told: set[tuple[Any, ...]] = set()
    for seed in range(3):
        people = cast()
        events = [*story(), *story()[::7]]
        random.Random(seed).shuffle(events)  # noqa: S311  an order, no secret
        for start in range(0, len(events), 30):
            assert tell(people, events[start : start + 30]).status_code == 200
        told.add(tuple(bodies(people)))
    assert len(told) == 1


@pytest.mark.django_db
def test_of_two_events_with_one_id_one_is_kept_whichever_came_first() -> None:
    first, second = lost() | {"id": "a"}, lost(seconds=700) | {"id": "a"}
    told = set()
    for events in ((first, second), (second, first)):
        people = cast()
        for each in events:
            tell(people, [each])
        told.add(tuple(bodies(people)))
        assert attempt_of(people).lost_gpu_count == 8
    assert len(told) == 1


@pytest.mark.django_db
def test_what_is_wrong_is_named_by_number_and_the_rest_is_kept() -> None:
    people = cast()
    bad: list[dict[str, Any]] = [
        {"event": "replica_gone", "at": "2026-11-21T01:00:00Z"},
        lost() | {"gpus": -1},
        lost() | {"at": "yesterday"},
        committed(3) | {"survivorss": 7},
        committed(4) | {"loss": "low"},
        began(checkpoint_every_steps=0),
    ]
    answer = tell(people, [committed(1), *bad, committed(2)])
    assert answer.json()["accepted"] == 2
    told = answer.json()["rejected"]
    assert [each["line"] for each in told] == [2, 3, 4, 5, 6, 7]
    assert {each["code"] for each in told} == {"bad_entry"}
    assert "gpus: a whole number from 0 is needed" in told[1]["detail"]
    assert "did you mean" in told[3]["detail"]
    nothing = tell(people, bad)
    assert nothing.status_code == 400


@pytest.mark.django_db
@pytest.mark.parametrize("of", ["platform", "operator"])
def test_who_runs_the_cluster_tells_of_a_tenants_job_and_the_tenant_owns_it(of: str) -> None:
    people = cast()
    told = {"scheduler": "slurm", "session": SESSION, "project": "solar", "state": "running"}
    push_json("/api/v1/session-events", people.token(people.platform), told)
    assert tell(people, story(), of=of).status_code == 200
    assert attempt_of(people).lost_gpu_count == 8
    with organization_scope(people.tenant.pk):
        rows = RecoveryBlock.objects.all()
        assert {row.sender_id for row in rows} == {getattr(people, of).pk}
    for party in (people.platform, people.operator, people.other):
        with organization_scope(party.pk):
            assert not RecoveryBlock.objects.exists()


@pytest.mark.django_db
def test_another_tenants_word_is_of_its_own_session() -> None:
    people = cast()
    tell(people, story())
    assert tell(people, [lost(replica="dp5")], of="other").status_code == 200
    assert attempt_of(people).lost_gpu_count == 8
    with organization_scope(people.other.pk):
        assert Session.objects.get().organization == people.other


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["gpu_vendor", "network_vendor", "storage_vendor"])
def test_vendors_are_refused(part: str) -> None:
    people = cast()
    tell(people, story())
    vendor = make.organization()
    make.participation(organization=vendor, cluster=people.cluster, part=ParticipationRole(part))
    token = pushes.token(vendor, people.cluster)
    answer = push_json(PATH, token, {"session": SESSION, "events": [lost(replica="dp5")]})
    assert answer.status_code == 403
    assert answer.json()["code"] == "part_refused"
    assert attempt_of(people).lost_gpu_count == 8


@pytest.mark.django_db
def test_a_foreign_cluster_is_not_found() -> None:
    people = cast()
    assert tell(people, story(), cluster="elsewhere").status_code == 404


@pytest.mark.django_db
def test_more_than_is_kept_of_an_attempt_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    monkeypatch.setattr(fact_blocks, "MOST_BLOCKS", 1)
    answer = tell(people, [committed(1), committed(5000)])
    assert answer.json()["accepted"] == 1
    assert [each["code"] for each in answer.json()["rejected"]] == ["too_many_events"]


@pytest.mark.django_db
def test_a_restart_inside_of_nvrx_processes_is_two_facts_of_one_event() -> None:
    people = cast()
    event = {
        "event": "nvrx_restart",
        "at": "2026-11-21T02:00:00Z",
        "iteration": 2,
        "former_world_size": 64,
        "active_world_size": 63,
        "message": "Interruption.TERMINATED on ranks=[17]",
    }
    answer = tell(people, [began(), event])
    assert answer.json() == {"accepted": 2, "rejected": []}
    attempt = attempt_of(people)
    assert (attempt.lost_gpu_count, attempt.alive_gpu_count) == (1, GPUS - 1)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("events", "kept"),
    [
        ([began() | {"session": f"job-{at}"} for at in range(reports.MOST_ATTEMPTS + 9)], 32),
        ([committed(at * 4096) for at in range(reports.MOST_BLOCKS + 9)], 128),
    ],
    ids=["sessions", "blocks"],
)
def test_a_body_of_more_attempts_or_steps_than_are_taken_at_once_is_named_and_sent_in_parts(
    events: list[Event], kept: int
) -> None:
    people = cast()
    told = tell(people, events).json()
    assert told["accepted"] == kept
    (first, *_) = told["rejected"]
    assert (first["line"], first["code"]) == (kept + 1, "too_many_events")
    assert "in parts" in first["detail"]
    rest = tell(people, events[kept:])
    assert rest.json() == {"accepted": 9, "rejected": []}
