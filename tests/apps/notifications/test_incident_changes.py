"""What is news of an incident, told once, and when."""

from datetime import timedelta
from typing import Any

import pytest

from apps.diagnosis.model import statement
from apps.incidents.correlation.incident_rows.incident_writer import end, merge
from apps.incidents.models import Incident
from apps.incidents.states import IncidentStatus
from apps.notifications.models import IncidentCursor, Notification
from apps.notifications.occasions.incident_changes import RESTED_FOR, WAITS_AT_MOST, has_news, look
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.revised_incidents import NOW, UNKNOWN, revise
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.cast.make import text_fact


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of the tenant of which nothing is known yet."""
    return stop_of(cast, attempt_of(cast, cast.tenant), **UNKNOWN)


STORAGE: dict[str, Any] = {
    "layer": "storage", "cause": "nfs-unavailable", "culprits": [{"kind": "server", "name": "n1"}],
    "actions": [{"statement": text_fact("Look"), "owner": "storage_vendor", "hosts": []}],
}  # fmt: skip


def told(who: Organization, after: timedelta = timedelta()) -> list[str]:
    """Look, and return the kinds of what was new."""
    return [notice.kind for notice in look(organization_id=who.pk, now=NOW + after)]


def test_an_opening_is_told_at_once_and_once_to_who_serves_it(
    cast: Cast, incident: Incident
) -> None:
    assert incident.verdict_status == "unknown"
    for who in (cast.tenant, cast.operator):
        assert has_news(organization_id=who.pk, now=NOW)
        assert told(who) == ["incident.opened"]
        assert told(who) == []
        assert not has_news(organization_id=who.pk, now=NOW)


def test_who_is_no_party_is_told_nothing(cast: Cast, incident: Incident) -> None:
    assert told(cast.stranger) == []
    assert told(cast.other_tenant) == []


def test_a_verdict_is_told_after_a_minute_of_rest(cast: Cast, incident: Incident) -> None:
    told(cast.tenant)
    revise(cast, incident)
    assert told(cast.tenant) == []
    assert told(cast.tenant, RESTED_FOR - timedelta(seconds=1)) == []
    assert told(cast.tenant, RESTED_FOR) == ["incident.verdict_changed"]
    assert told(cast.tenant, RESTED_FOR * 2) == []


def test_a_verdict_that_wobbles_back_is_no_news(cast: Cast, incident: Incident) -> None:
    told(cast.tenant)
    for _ in range(3):
        revise(cast, incident)
        told(cast.tenant, timedelta(seconds=5))
        revise(cast, incident, **UNKNOWN)
        told(cast.tenant, timedelta(seconds=10))
    assert told(cast.tenant, timedelta(seconds=10) + RESTED_FOR) == []
    with organization_scope(cast.tenant.pk):
        assert Notification.objects.count() == 1


def test_a_verdict_that_never_rests_is_told_after_five_minutes(
    cast: Cast, incident: Incident
) -> None:
    told(cast.tenant)
    kinds: list[str] = []
    for second in range(0, int(WAITS_AT_MOST.total_seconds()) + 60, 30):
        sure: dict[str, Any] = {"probability": 0.8 + second / 10_000}
        revise(cast, incident, **(STORAGE if second % 60 else {}), **sure)
        kinds += told(cast.tenant, timedelta(seconds=second))
    assert kinds == ["incident.verdict_changed"]


def test_a_settled_verdict_waits_for_nothing(cast: Cast, incident: Incident) -> None:
    told(cast.tenant)
    revise(cast, incident, at=NOW + timedelta(minutes=6))
    assert told(cast.tenant, timedelta(minutes=6)) == ["incident.verdict_changed"]


def test_a_probability_alone_is_no_news(cast: Cast, incident: Incident) -> None:
    revise(cast, incident)
    told(cast.tenant)
    revise(cast, incident, probability=0.95)
    assert told(cast.tenant, WAITS_AT_MOST) == []


def test_a_cause_that_becomes_as_likely_or_no_longer_is_news(
    cast: Cast, incident: Incident
) -> None:
    mend = {
        "statement": text_fact("Reboot the node"),
        "owner": "operator",
        "hosts": ["gpu001"],
    }
    look_at = {
        "statement": text_fact("Fix that exception"),
        "owner": "tenant",
        "hosts": ["gpu002"],
    }
    revise(cast, incident, actions=[mend])
    told(cast.tenant)
    revise(cast, incident, actions=[mend, look_at | {"rival": "rank-exception"}])
    told(cast.tenant)
    (notice,) = look(organization_id=cast.tenant.pk, now=NOW + RESTED_FOR)
    assert notice.kind == "incident.verdict_changed"
    now, before = notice.body["incident"], notice.body["former"]
    assert (now["rival"], now["rival_hosts"]) == ("rank-exception", ["gpu002"])
    assert (before["cause"], before["rival"]) == (now["cause"], None)
    revise(cast, incident, actions=[mend])
    told(cast.tenant, RESTED_FOR)
    assert told(cast.tenant, RESTED_FOR * 2) == ["incident.verdict_changed"]


def test_what_was_told_before_rivals_were_compared_is_not_told_again(
    cast: Cast, incident: Incident
) -> None:
    alike = {
        "statement": text_fact("Fix that"),
        "owner": "tenant",
        "hosts": [],
        "rival": "rank-exception",
    }
    mend = {
        "statement": text_fact("Reboot the node"),
        "owner": "operator",
        "hosts": [],
    }
    revise(cast, incident, actions=[mend, alike])
    told(cast.tenant)
    with organization_scope(cast.tenant.pk):
        row = IncidentCursor.objects.for_organization(cast.tenant).get()
        row.told = {name: value for name, value in (row.told or {}).items() if name != "rival"}
        row.save()
    revise(cast, incident, actions=[mend, alike], probability=0.7)
    told(cast.tenant)
    assert told(cast.tenant, RESTED_FOR) == []


def test_whose_turn_it_is_and_whose_layer_is_blamed_is_told(cast: Cast, incident: Incident) -> None:
    for who in (cast.tenant, cast.operator, cast.vendor):
        told(who)
    revise(cast, incident)
    for who in (cast.tenant, cast.operator, cast.vendor):
        told(who)
    assert told(cast.tenant, RESTED_FOR) == ["incident.verdict_changed"]
    both = ["incident.verdict_changed", "incident.assigned"]
    assert told(cast.operator, RESTED_FOR) == both
    with organization_scope(cast.operator.pk, cast.vendor.pk):
        rows = Notification.objects.filter(kind="incident.assigned").order_by("organization_id")
        said = {row.organization_id: row.body["incident"]["assigned"] for row in rows}
    assert said == {cast.operator.pk: "action", cast.vendor.pk: "layer"}


def test_an_open_question_calls_nobody_before_it_has_settled(
    cast: Cast, incident: Incident
) -> None:
    asked: dict[str, Any] = UNKNOWN | {
        "actions": [
            {
                "statement": text_fact("Send the kernel log"),
                "owner": "operator",
                "hosts": [],
            }
        ]
    }
    revise(cast, incident, **asked)
    assert told(cast.operator) == ["incident.opened"]
    revise(cast, incident, at=NOW + timedelta(minutes=6), **asked)
    assert told(cast.operator, timedelta(minutes=6)) == ["incident.assigned"]


def test_one_that_is_ours_from_the_first_look_on_is_told_so(cast: Cast) -> None:
    stop_of(cast, attempt_of(cast, cast.tenant))
    assert told(cast.operator) == ["incident.opened", "incident.assigned"]


def test_culprits_are_told_to_those_alone_who_see_them(cast: Cast, incident: Incident) -> None:
    for said in ({}, STORAGE):
        revise(cast, incident, **said)
        for who in (cast.tenant, cast.vendor):
            told(who)
            told(who, RESTED_FOR)
    with organization_scope(cast.tenant.pk, cast.vendor.pk):
        rows = Notification.objects.filter(kind="incident.verdict_changed")
        bodies = {row.organization_id: row.body["incident"] for row in rows}
    mine, theirs = bodies[cast.tenant.pk], bodies[cast.vendor.pk]
    assert mine["culprits"] == [{"kind": "server", "name": "n1"}]
    assert "n1" in mine["title"]
    assert theirs["culprits"] is None
    assert "n1" not in str(theirs)


def test_no_evidence_is_told(cast: Cast) -> None:
    stop_of(cast, attempt_of(cast, cast.tenant))
    for who in (cast.tenant, cast.operator, cast.vendor):
        told(who)
    with organization_scope(*cast.ids):
        bodies = str(list(Notification.objects.values_list("body", flat=True)))
    assert "WORDS" not in bodies
    assert "MOMENT" not in bodies


def test_a_withdrawal_is_told_to_those_who_were_told_of_it(cast: Cast, incident: Incident) -> None:
    told(cast.tenant)
    with organization_scope(*cast.ids):
        end(incident=incident, reason=statement("no-failure-found"), now=NOW)
    assert told(cast.tenant) == []
    assert told(cast.tenant, RESTED_FOR) == ["incident.verdict_changed"]
    with organization_scope(cast.tenant.pk):
        last = Notification.objects.latest("id").body["incident"]
    assert (last["status"], last["withdrawn_because"]) == ("withdrawn", "no failure was found")
    assert told(cast.operator, RESTED_FOR) == []


def test_what_people_did_is_no_news(cast: Cast, incident: Incident) -> None:
    told(cast.tenant)
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(status=IncidentStatus.RESOLVED)
    told(cast.tenant)
    assert told(cast.tenant, RESTED_FOR) == []


def test_one_that_took_over_another_carries_its_story_on(cast: Cast, incident: Incident) -> None:
    told(cast.tenant)
    winner = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        merge(loser=incident, into=winner)
    assert told(cast.tenant) == []
    assert told(cast.tenant, RESTED_FOR) == ["incident.verdict_changed"]
    assert told(cast.tenant, RESTED_FOR * 2) == []


def test_an_incident_of_last_week_is_no_news(cast: Cast, incident: Incident) -> None:
    assert told(cast.tenant, timedelta(days=2)) == []
    assert told(cast.tenant, timedelta(days=8)) == []


def test_a_change_of_what_was_never_told_is_no_news_either(cast: Cast, incident: Incident) -> None:
    assert told(cast.tenant, timedelta(days=2)) == []
    revise(cast, incident, at=NOW + timedelta(days=2))
    assert told(cast.tenant, timedelta(days=2)) == []
    assert told(cast.tenant, timedelta(days=2, minutes=10)) == []


def test_one_that_is_founded_again_before_it_was_told_is_opened(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(*cast.ids):
        end(incident=incident, reason=statement("no-failure-found"), now=NOW)
    assert told(cast.tenant) == []
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(status=IncidentStatus.OPEN)
    assert told(cast.tenant) == ["incident.opened"]


def test_what_is_simulated_says_so(cast: Cast, incident: Incident) -> None:
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(is_simulated=True)
    told(cast.tenant)
    with organization_scope(cast.tenant.pk):
        assert Notification.objects.get().is_simulated
