"""POST /api/v1/session-events: several parties tell of one session, the tenant owns it."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.core.cache import cache

from apps.fleet.models import Attempt, Session, SessionParty
from apps.fleet.sessions import session_limits
from apps.fleet.sessions.session_rows import attempt_of as attempt_numbered
from apps.telemetry.models import Event, LogStream, TouchedWindow
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast, drain_all, push_json, push_text

RUNNING = {
    "scheduler": "backend.ai",
    "session": "solar-218",
    "project": "solar",
    "job": "solar",
    "state": "running",
    "at": "2026-11-21T01:00:00Z",
    "hosts": ["gpu001", "gpu002"],
    "world_size": 16,
}
FAILED = {
    "scheduler": "backend.ai",
    "session": "solar-218",
    "project": "solar",
    "state": "failed",
    "at": "2026-11-21T01:30:00Z",
    "exit_codes": {"12": -6},
}


def tell(people: Cast, *events: dict[str, object]) -> dict[str, object]:
    """Let the platform tell of something and return the answer."""
    answer = push_json(
        "/api/v1/session-events", people.token(people.platform), {"events": list(events)}
    )
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def attempt_of(people: Cast) -> Attempt:
    """Return the tenant's only attempt as the tenant sees it."""
    with organization_scope(people.tenant.pk):
        return Attempt.objects.select_related("session").get()


@pytest.mark.django_db
@pytest.mark.parametrize("events", [(RUNNING, FAILED), (FAILED, RUNNING), (FAILED, RUNNING) * 2])
def test_events_merge_in_any_order_and_number(events: tuple[dict[str, object], ...]) -> None:
    people = cast()
    assert tell(people, *events) == {"accepted": len(events), "rejected": []}
    attempt = attempt_of(people)
    assert attempt.state == "failed"
    assert attempt.hosts == ["gpu001", "gpu002"]
    assert attempt.exit_codes == {"12": -6}
    assert attempt.started_at is not None
    assert attempt.ended_at is not None
    assert attempt.session.job == "solar"
    assert attempt.field_sources["hosts"][0] == people.platform.slug


@pytest.mark.django_db
def test_the_tenant_owns_what_the_platform_told_and_the_other_tenant_sees_nothing() -> None:
    people = cast()
    tell(people, RUNNING)
    session = attempt_of(people).session
    assert session.organization == people.tenant
    for party, count in ((people.platform, 1), (people.operator, 1), (people.other, 0)):
        with organization_scope(party.pk):
            assert Session.objects.count() == count
            assert SessionParty.objects.count() == count


@pytest.mark.django_db
def test_an_event_without_a_known_tenant_is_refused_by_number() -> None:
    people = cast()
    said = tell(people, RUNNING, {"session": "x", "project": "unheard"}, {"state": "failed"})
    assert said["accepted"] == 1
    assert [row["code"] for row in said["rejected"]] == ["bad_entry", "owner_unknown"]  # type: ignore[attr-defined]  # JSON


@pytest.mark.django_db
def test_logs_of_an_unknown_session_wait_until_somebody_tells_of_it() -> None:
    people = cast()
    push_text(people.token(people.operator), "a line", session="solar-218", stream="session")
    drain_all(people.operator)
    with organization_scope(people.operator.pk):
        assert LogStream.objects.get().session is None
    tell(people, RUNNING)
    with organization_scope(people.operator.pk, people.tenant.pk):
        assert LogStream.objects.get().session == Session.objects.get()


@pytest.mark.django_db
def test_logs_before_the_scheduler_told_belong_to_the_same_session() -> None:
    people = cast()
    push_text(people.token(people.tenant), "a line", session="solar-218")
    drain_all(people.tenant)
    tell(people, RUNNING)
    attempt = attempt_of(people)
    assert attempt.session.scheduler == "backend.ai"
    with organization_scope(people.tenant.pk):
        assert LogStream.objects.get().attempt == attempt
        assert Event.objects.count() == 0


@pytest.mark.django_db
def test_an_event_touches_its_attempt() -> None:
    people = cast()
    tell(people, RUNNING)
    with organization_scope(people.platform.pk):
        assert TouchedWindow.objects.get().attempt == attempt_of(people)


@pytest.mark.django_db
def test_a_foreign_cluster_is_not_found() -> None:
    people, elsewhere = cast(), cast()
    foreign = people.token(people.platform)
    answer = push_json(
        "/api/v1/session-events", foreign, {**RUNNING, "cluster": elsewhere.cluster.slug}
    )
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body", [{"session": 5.5}, {"events": 3}, {"session": "s", "at": "yesterday"}, []]
)
def test_nothing_usable_is_a_bad_request(body: object) -> None:
    people = cast()
    answer = push_json("/api/v1/session-events", people.token(people.platform), body)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.django_db
def test_a_million_new_sessions_are_refused_in_words_and_known_ones_go_on(
    settings: LazySettings,
) -> None:
    cache.clear()
    settings.PORTAL_MAX_NEW_SESSIONS = 2
    people = cast()
    new = [{**RUNNING, "session": f"job-{number}"} for number in range(4)]
    answer = tell(people, *new)
    assert answer["accepted"] == 2
    rejected = cast_to_list(answer["rejected"])
    assert [(each["line"], each["code"]) for each in rejected] == [
        (3, "too-many-sessions"), (4, "too-many-sessions"),
    ]  # fmt: skip
    assert "PORTAL_MAX_NEW_SESSIONS" in rejected[0]["detail"]
    assert tell(people, {**FAILED, "session": "job-0"})["accepted"] == 1

    refused = push_json("/api/v1/session-events", people.token(people.platform), new[3])
    # Not "come back": who sends them in order goes on with the next.
    assert refused.status_code == 400
    others = push_json(
        "/api/v1/session-events", people.token(people.tenant), {"session": "own", "state": "failed"}
    )
    assert others.status_code == 200
    with organization_scope(people.tenant.pk):
        assert {*Session.objects.values_list("name", flat=True)} == {"job-0", "job-1", "own"}


@pytest.mark.django_db
def test_a_session_is_not_started_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_limits, "MOST_ATTEMPTS", 2)
    people = cast()
    answer = tell(people, *({**RUNNING, "attempt": number} for number in (1, 2, 3, 2)))
    (rejected,) = cast_to_list(answer["rejected"])
    assert (answer["accepted"], rejected["line"], rejected["code"]) == (3, 3, "too-many-sessions")
    with organization_scope(people.tenant.pk):
        assert Attempt.objects.count() == 2
        # A label is no way around it, and no reason to refuse a log.
        session = Session.objects.get()
        assert [attempt_numbered(session=session, number=each).number for each in (1, 7)] == [1, 2]


def cast_to_list(said: object) -> list[dict[str, Any]]:
    """Return a list of an answer."""
    assert isinstance(said, list)
    return said


@pytest.mark.django_db
@pytest.mark.parametrize("nothing", ["(null)", "", "None assigned"])
def test_what_slurm_prints_for_nothing_names_no_project_and_no_host(nothing: str) -> None:
    people = cast()
    tell(people, RUNNING)
    again: dict[str, object] = {**FAILED, "project": nothing, "job": nothing, "hosts": [nothing]}
    assert tell(people, again) == {"accepted": 1, "rejected": []}
    attempt = attempt_of(people)
    assert (attempt.state, attempt.hosts) == ("failed", ["gpu001", "gpu002"])
    assert (attempt.session.project, attempt.session.job) == ("solar", "solar")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["4711\u200b", "4711\x7f", "\u202e1174", "47\x1b[2J11"])
def test_a_name_that_looks_like_another_shows_that_it_is_none(name: str) -> None:
    people = cast()
    report = {"session": f"{name}.", "job": name, "state": "running", "hosts": ["gpu001"]}
    assert (
        push_json("/api/v1/session-events", people.token(people.tenant), report).status_code == 200
    )
    push_text(people.token(people.tenant), "step 1", session=f"{name}.", host="gpu001")
    drain_all(people.tenant)

    with organization_scope(people.tenant.pk):
        (found,) = Session.objects.values_list("name", flat=True)
    assert found.isprintable()
    assert "\N{REPLACEMENT CHARACTER}" in found
