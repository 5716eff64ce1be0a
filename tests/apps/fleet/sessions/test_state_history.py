"""Every state that is reported is kept as it was said, once, whatever the order of reports."""

import itertools
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt, AttemptState
from apps.fleet.sessions import session_parties, state_history
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.pushes import cast, push_json
from tests.cast.scheduler_states import START, STORY, event, tell


def words(reader: Organization) -> list[str]:
    """Return the states that an organization may read."""
    with organization_scope(reader.pk):
        rows = AttemptState.objects.order_by(*state_history.IN_ORDER)
        return list(rows.values_list("word", flat=True))


@pytest.mark.django_db
@pytest.mark.parametrize("order", list(itertools.islice(itertools.permutations(STORY), 0, 720, 90)))
def test_reports_in_any_order_and_twice_make_the_same_history(
    order: Sequence[dict[str, Any]],
) -> None:
    people = cast()
    tell(people, order)
    tell(people, order[::-1])
    assert words(people.tenant) == [each["scheduler_state"] for each in STORY]
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get()
        results = AttemptState.objects.exclude(result="").order_by("at")
        assert list(results.values_list("result", flat=True)) == ["NEED_RETRY", "SUCCESS"]
        assert {row.standing for row in AttemptState.objects.all()} == {"asserted"}
    assert attempt.state == "unknown"  # TERMINATED alone does not say how it ended
    assert attempt.started_at == START + timedelta(minutes=3)
    assert attempt.ended_at == START + timedelta(minutes=12)


@pytest.mark.django_db
def test_tenant_platform_and_operator_read_states_and_the_other_tenant_none() -> None:
    people = cast()
    tell(people, STORY)
    counts = [
        len(words(each)) for each in (people.tenant, people.platform, people.operator, people.other)
    ]
    assert counts == [6, 6, 6, 0]


@pytest.mark.django_db
def test_who_no_longer_runs_the_cluster_reads_no_states() -> None:
    people = cast()
    tell(people, STORY)
    with organization_scope(people.operator.pk):
        session_parties.keep_ended(
            organization_id=people.operator.pk, cluster_id=people.cluster.pk, now=make.AT
        )
    assert words(people.operator) == []
    assert len(words(people.tenant)) == 6


@pytest.mark.django_db
def test_both_parties_words_are_kept_beside_each_other() -> None:
    people = cast()
    tell(people, STORY[:1])
    own = {"session": "solar-218", "scheduler": "backend.ai", "state": "running"}
    tell(people, [own | {"at": "2026-11-21T01:03:02Z"}], by=people.tenant)
    with organization_scope(people.tenant.pk):
        told = AttemptState.objects.order_by("at").values_list("word", "source")
        assert list(told) == [("PENDING", people.platform.slug), ("running", people.tenant.slug)]


@pytest.mark.django_db
def test_another_tenants_events_of_the_same_name_touch_its_own_session_alone() -> None:
    people = cast()
    tell(people, STORY)
    tell(people, [event("RUNNING", 30, project="lunar")], by=people.other)
    assert len(words(people.tenant)) == 6
    assert words(people.other) == ["RUNNING"]


@pytest.mark.django_db
def test_of_very_many_states_the_first_and_the_last_are_kept_in_any_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state_history, "MOST_OF_EACH_END", 2)
    for order in (STORY, STORY[::-1], (*STORY[3:], *STORY[:3], *STORY)):
        people = cast()
        tell(people, order[:8])
        assert words(people.tenant) == ["PENDING", "PENDING", "HIBERNATING", "TERMINATED"]


@pytest.mark.django_db
def test_a_state_without_a_time_is_kept_once() -> None:
    people = cast()
    timeless = {key: value for key, value in STORY[0].items() if key != "at"}
    tell(people, [timeless])
    tell(people, [timeless])
    with organization_scope(people.tenant.pk):
        assert [row.at for row in AttemptState.objects.all()] == [None]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "wrong",
    [
        {"reason": "the disk of Alice's node was full: please call her"},
        {"scheduler_state": "x" * 61},
        {"result": "two\nlines"},
        {"member": 7.5},
    ],
)
def test_what_is_no_code_is_refused_and_nothing_is_kept(wrong: dict[str, Any]) -> None:
    people = cast()
    answer = push_json(
        "/api/v1/session-events", people.token(people.platform), {"events": [STORY[0] | wrong]}
    )
    assert answer.status_code == 400
    assert words(people.tenant) == []


@pytest.mark.django_db
def test_states_without_end_of_one_party_leave_those_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state_history, "MOST_OF_EACH_END", 1)
    people = cast()
    tell(people, [event("RUNNING", 5), event("ERROR", 6)])
    flood = [event(f"STEP{at}", at) for at in (0, 1, 2, 8, 9)]
    for each in flood:
        tell(people, [each], by=people.tenant)
    assert words(people.tenant) == ["STEP0", "RUNNING", "ERROR", "STEP9"]
