"""Large inventories and lists of events: durable at once, carried out in pieces and in turns."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError

from apps.fleet.models import Attempt, Device, Link, Node, ProjectTenant
from apps.telemetry.limits.intake_queue import ATTEMPT_LIMIT, IntakeTurn
from apps.telemetry.models import BatchState, Submission
from apps.telemetry.submissions import drain
from apps.telemetry.submissions.carry_out import carry_out as carried_out
from apps.telemetry.submissions.drain import KEPT, LEASE
from apps.telemetry.submissions.outcome import outcome_of as drain_outcome
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import NOW, Answer, Cast, cast, push_json

pytestmark = pytest.mark.django_db
HOSTS = 300


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def carry_out(organization: Organization, *, seconds: Iterator[float] | None = None) -> IntakeTurn:
    clock = iter(float, 1.0) if seconds is None else seconds
    return drain.take_turn(
        organization_id=organization.pk, clock=lambda: next(clock), now=lambda: NOW
    )


def inventory(people: Cast, **more: Any) -> dict[str, Any]:
    """Return more nodes than are written at once."""
    return {
        "cluster": people.cluster.slug,
        "nodes": [
            {
                "name": f"gpu{number:04d}",
                "devices": [
                    {"kind": "gpu", "index": index, "uuid": f"GPU-{number}-{index}"}
                    for index in range(8)
                ],
            }
            for number in range(HOSTS)
        ],
        **more,
    }


def send(people: Cast, said: dict[str, Any]) -> Answer:
    return push_json("/api/v1/inventory", people.token(people.operator), said)


def waiting(organization: Organization) -> int:
    with organization_scope(organization.pk):
        return Submission.objects.filter(state=BatchState.ACCEPTED).count()


def test_a_large_inventory_is_durable_at_once_and_there_once_it_was_carried_out(
    people: Cast,
) -> None:
    answer = send(people, inventory(people))
    assert answer.status_code == 202
    assert (answer.json()["accepted"], answer.json()["rejected"]) == (HOSTS, [])
    with organization_scope(people.operator.pk):
        assert Node.objects.count() == 0
    turn = carry_out(people.operator)
    assert turn.row_count == 3  # of at most 1,024 parts
    with organization_scope(people.operator.pk):
        assert (Node.objects.count(), Device.objects.count()) == (HOSTS, 8 * HOSTS)
        assert set(Submission.objects.values_list("state", flat=True)) == {BatchState.INTERPRETED}
        assert {bytes(body) for body in Submission.objects.values_list("body", flat=True)} == {b""}


def test_the_projects_of_a_large_inventory_are_mapped_at_once(people: Cast) -> None:
    answer = send(
        people, inventory(people, projects={"mars": people.tenant.slug, "venus": "nobody"})
    )
    assert (answer.status_code, answer.json()["accepted"]) == (202, HOSTS + 1)
    assert [row["code"] for row in answer.json()["rejected"]] == ["project_unknown"]
    with organization_scope(people.tenant.pk):
        assert ProjectTenant.objects.get(project="mars").organization == people.tenant


def test_what_is_malformed_is_told_at_the_door_and_only_there(people: Cast) -> None:
    said = inventory(people)
    said["nodes"][7] = {"devices": []}
    answer = send(people, said)
    assert answer.json()["accepted"] == HOSTS - 1
    assert [(row["line"], row["code"]) for row in answer.json()["rejected"]] == [(8, "bad_entry")]
    carry_out(people.operator)
    with organization_scope(people.operator.pk):
        assert Node.objects.count() == HOSTS - 1
        assert all(row.rejected == [] for row in Submission.objects.all())


def test_sent_again_while_it_waits_it_waits_once_and_later_it_is_news(people: Cast) -> None:
    first, again = send(people, inventory(people)), send(people, inventory(people))
    assert first.json()["url"] == again.json()["url"]
    assert waiting(people.operator) == 3
    carry_out(people.operator)
    assert send(people, inventory(people)).json()["url"] != first.json()["url"]
    assert waiting(people.operator) == 3


def test_a_small_inventory_does_not_overtake_a_large_one(people: Cast) -> None:
    def link(switch: str) -> dict[str, Any]:
        return {"a": {"host": "gpu0001", "device": "mlx5_0"}, "b": {"switch": switch}}

    send(people, inventory(people, links=[link("old")]))
    small = {"cluster": people.cluster.slug, "links": [link("new")]}
    assert send(people, small).status_code == 202
    carry_out(people.operator)
    with organization_scope(people.operator.pk):
        assert Link.objects.get().switch == "new"
    assert send(people, small).status_code == 200


def test_a_turn_ends_after_its_time_and_the_next_goes_on(people: Cast) -> None:
    send(people, inventory(people))
    turn = carry_out(people.operator, seconds=iter([0.0, 0.0, 5.0]))
    assert (turn.row_count, turn.amount, turn.is_more) == (1, 113, True)
    assert waiting(people.operator) == 2
    assert carry_out(people.operator).is_more is False
    assert waiting(people.operator) == 0


def test_many_events_are_carried_out_later_and_each_refusal_names_its_place(people: Cast) -> None:
    events: list[Any] = [
        {"session": f"run-{number}", "project": "solar", "state": "running", "at": NOW.isoformat()}
        for number in range(120)
    ]
    events[3] = {"state": "running"}
    events[77]["project"] = "nobody's"
    answer = push_json("/api/v1/session-events", people.token(people.platform), {"events": events})
    assert (answer.status_code, answer.json()["accepted"]) == (202, 119)
    assert [row["line"] for row in answer.json()["rejected"]] == [4]
    assert carry_out(people.platform).row_count == 3
    with organization_scope(people.tenant.pk):
        assert Attempt.objects.count() == 118
    with organization_scope(people.platform.pk):
        told = [each for row in Submission.objects.all() for each in row.rejected]
        assert [(each["line"], each["code"]) for each in told] == [(78, "owner_unknown")]


def test_what_became_of_it_is_told_to_its_sender_alone(people: Cast) -> None:
    url = send(people, inventory(people)).json()["url"]
    public_id = url.rstrip("/").rpartition("/")[2]

    def told(organization: Organization) -> tuple[str, int, int]:
        actor = Actor(organization=organization, rights=frozenset({Right.READ}))
        with organization_scope(organization.pk):
            found = drain_outcome(actor=actor, public_id=public_id)
        return found.state, found.accepted, found.waiting

    assert told(people.operator) == ("waiting", 0, HOSTS)
    carry_out(people.operator)
    assert told(people.operator) == ("done", HOSTS, 0)
    with pytest.raises(NotFound):
        told(people.platform)


def test_a_piece_that_always_fails_is_set_aside_and_the_others_are_carried_out(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(people, inventory(people))
    with organization_scope(people.operator.pk):
        poison = Submission.objects.order_by("id").values_list("pk", flat=True)[0]

    def carry(*, submission: Submission) -> tuple[int, list[dict[str, Any]]]:
        if submission.pk == poison:
            raise ValueError("a line of a customer")
        return carried_out(submission=submission)

    monkeypatch.setattr(drain, "carry_out", carry)
    assert carry_out(people.operator).row_count == 2
    with organization_scope(people.operator.pk):
        row = Submission.objects.get(state=BatchState.DEAD)
        assert (row.pk, row.attempt_count) == (poison, ATTEMPT_LIMIT)
        assert row.error == "could not be carried out (ValueError)"
        assert row.body


def test_a_piece_whose_worker_died_is_tried_again_and_not_for_ever(people: Cast) -> None:
    send(people, inventory(people))
    with organization_scope(people.operator.pk):
        oldest = Submission.objects.order_by("id")[0]
        Submission.objects.filter(pk=oldest.pk).update(
            claimed_until=NOW + LEASE.lasts, attempt_count=1
        )
    assert carry_out(people.operator).row_count == 0  # in order: what is behind it waits
    with organization_scope(people.operator.pk):
        Submission.objects.filter(pk=oldest.pk).update(
            claimed_until=NOW - LEASE.lasts, attempt_count=ATTEMPT_LIMIT
        )
    assert carry_out(people.operator).row_count == 2
    with organization_scope(people.operator.pk):
        assert Submission.objects.get(state=BatchState.DEAD).pk == oldest.pk


def test_a_database_that_is_away_costs_nobody_a_piece(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(people, inventory(people))

    def away(**_: object) -> None:
        raise OperationalError

    monkeypatch.setattr(drain, "carry_out", away)
    for _ in range(ATTEMPT_LIMIT + 1):
        with pytest.raises(OperationalError):
            carry_out(people.operator)
    monkeypatch.undo()
    assert carry_out(people.operator).row_count == 3


def test_too_much_that_waits_is_refused_with_what_to_do(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.telemetry.submissions.accept.MOST_PIECES", 2)
    send(people, inventory(people))
    answer = send(people, inventory(people, at=NOW.isoformat()))
    assert (answer.status_code, answer["Retry-After"]) == (429, "5")
    assert "3 pieces" in answer.json()["detail"]


def test_what_was_carried_out_long_ago_is_forgotten(people: Cast) -> None:
    send(people, inventory(people))
    carry_out(people.operator)
    with organization_scope(people.operator.pk):
        Submission.objects.update(finished_at=NOW - 2 * KEPT)
    carry_out(people.operator)
    with organization_scope(people.operator.pk):
        assert not Submission.objects.exists()
