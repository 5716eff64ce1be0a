"""POST /api/v1/session-events?format=…: what schedulers export, as they print it."""

from typing import Any

import orjson
import pytest
from django.test import Client

from apps.fleet.models import Attempt, AttemptState, Session
from apps.telemetry.submissions import drain
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.backend_ai_sessions import SESSION
from tests.cast.kubernetes_objects import event, pod
from tests.cast.pushes import NOW, Cast, cast
from tests.cast.sacct_tables import COLUMNS, FAILED, RUNS


def push(people: Cast, query: str, body: bytes, *, by: Organization | None = None) -> Any:
    """Send an export of a scheduler."""
    return Client().post(
        f"/api/v1/session-events?{query}",
        body,
        content_type="application/octet-stream",
        headers={"Authorization": f"Bearer {people.token(by or people.platform)}"},
    )


TABLE = f"{COLUMNS}\n{FAILED}\n{RUNS}".encode()


@pytest.mark.django_db
def test_a_table_of_sacct_becomes_attempts_with_their_states() -> None:
    people = cast()
    for _twice in range(2):
        answer = push(
            people, "format=sacct&tz=Asia/Seoul&project=solar", TABLE.replace(b"|llm|", b"||")
        )
        assert answer.status_code == 200, answer.content
        assert answer.json() == {"accepted": 7, "rejected": []}
    with organization_scope(people.tenant.pk):
        first, second = Attempt.objects.order_by("number")
        assert (first.state, second.state) == ("failed", "running")
        assert first.hosts == ["gpu017", "gpu018"]
        assert AttemptState.objects.count() == 7


@pytest.mark.django_db
def test_pods_and_events_become_members_of_a_job() -> None:
    people = cast()
    body = orjson.dumps(
        {"items": [pod("solar-0-a", "gpu001"), event("Pulling", "solar-0-a"), {"kind": "Secret"}]}
    )
    answer = push(people, "format=kubernetes", body)
    assert "no single tenant is known" in answer.content.decode()  # its namespace is no project
    mapped = body.replace(b'"llm"', b'"solar"')
    assert push(people, "format=kubernetes", mapped).json() == {"accepted": 4, "rejected": []}
    with organization_scope(people.tenant.pk):
        rows = AttemptState.objects.order_by("at").values_list("word", "member")
        assert [word for word, _ in rows] == ["Pending", "Scheduled", "Pulling", "Started"]
        assert {member for _, member in rows} == {"solar-0-a"}


@pytest.mark.django_db
def test_many_events_of_backend_ai_are_carried_out_later() -> None:
    people = cast()
    sessions = [SESSION | {"session_id": f"s{number}"} for number in range(3)]
    answer = push(people, "format=backend.ai", orjson.dumps(sessions))
    assert answer.status_code == 202
    drain.take_turn(organization_id=people.platform.pk, clock=lambda: 1.0, now=lambda: NOW)
    with organization_scope(people.tenant.pk):
        assert Session.objects.count() == 3
        assert {row.state for row in Attempt.objects.all()} == {"failed"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "body", "words"),
    [
        ("format=sact", TABLE, "there is no format"),
        ("tz=UTC", b"{}", "belong to a `format`"),
        ("format=sacct&zone=UTC", TABLE, "zone"),
        ("format=sacct", b"nothing", "names its columns"),
        ("format=kubernetes", b"nothing", "no JSON"),
    ],
)
def test_what_is_not_of_the_form_is_refused_with_what_is_wrong(
    query: str, body: bytes, words: str
) -> None:
    people = cast()
    answer = push(people, query, body)
    assert answer.status_code == 400
    assert words in answer.content.decode()


@pytest.mark.django_db
def test_a_row_that_says_nothing_is_named_beside_those_that_are_taken() -> None:
    people = cast()
    table = TABLE.replace(b"|llm|", b"|solar|").replace(b"NODE_FAIL", b"??")
    answer = push(people, "format=sacct&tz=UTC", table)
    assert answer.json()["accepted"] == 3
    assert [each["code"] for each in answer.json()["rejected"]] == ["bad_entry"]


@pytest.mark.django_db
def test_another_clusters_name_is_not_found() -> None:
    people = cast()
    answer = push(people, "format=sacct&tz=UTC&cluster=elsewhere&project=solar", TABLE)
    assert answer.status_code == 404
