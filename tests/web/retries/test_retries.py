"""Retry chains of a time: the page, REST and CSV, as tenant, operator and others may read them."""

import csv
import io
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt, Session
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.models import Incident, IncidentSession
from apps.reliability.facade.recoveries import recoveries_in_period
from apps.reliability.measures.measure_session import measure_session
from apps.reliability.models import AttemptMeasure, RecoveryMeasure
from apps.reliability.period.asked_span import scope_of
from apps.reliability.period.scopes import Audience
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import clients, make
from tests.cast.incidents import actor
from tests.cast.pushes import Cast, cast, push_json
from tests.cast.retry_stories import story
from tests.cast.told_runs import START
from tests.web.conftest import Browser

DAYS = "first_day=2026-11-20&last_day=2026-11-26"
QUERY = dict(each.split("=") for each in DAYS.split("&"))
NOW = START + timedelta(days=2)


def measured(people: Cast, *saves: int | None) -> None:
    """Tell of attempts of a session of the tenant, and measure them."""
    story(people, saves=saves)
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
    measure_session(organization_id=people.tenant.pk, session_id=session.pk, now=NOW)


def page(browser: Browser, reader: Organization, query: str = DAYS) -> str:
    """Return the page as a party reads it."""
    answer = browser(reader).get(f"/o/{reader.slug}/retries/?{query}")
    assert answer.status_code == 200
    return str(answer.content.decode())


@pytest.mark.django_db
def test_a_tenant_reads_shares_with_intervals_chains_and_recoveries(browser: Browser) -> None:
    people = cast()
    measured(people, 100, None, None, None)
    text = page(browser, people.tenant)
    for told in (
        "0.0 %",
        "0.0 – 79.3 %",  # noqa: RUF001  a span
        "0 of 1",
        "11 min (11 min to 11 min)",
        "3 automatic retries",
        "Crash loop: by attempt 4",
        "did not get past the stop",
        "Chains of one kind alone: nothing to compare.",
        "3 of 3 reached another step",
        "12 min 40 s at the median of the 3 that did, from the failure",
        "The page Reliability counts from the last step before the stop.",
        "Load checkpoint",
    ):
        assert told in text, told


@pytest.mark.django_db
def test_the_outcome_narrows_the_list_and_other_days_show_nothing(browser: Browser) -> None:
    people = cast()
    measured(people, 100, 140, None)
    assert text_of(page(browser, people.tenant)) == ["recovered", "gave-up"][::-1]
    only = page(browser, people.tenant, f"{DAYS}&outcome=recovered")
    assert text_of(only) == ["recovered"]
    none = page(browser, people.tenant, "first_day=2026-10-01&last_day=2026-10-20")
    assert "No chain of retries in this time." in none
    assert "No recovery of your own sessions is known in this time." in none


def text_of(text: str) -> list[str]:
    """Return the outcomes of the chains that a page shows, in order."""
    return [part.split('"')[0] for part in text.split('"outcome outcome-')[1:]]


@pytest.mark.django_db
def test_who_runs_the_cluster_sees_chains_and_not_what_became_of_them(browser: Browser) -> None:
    people = cast()
    measured(people, 100, None)
    text = page(browser, people.operator)
    assert "1 automatic retry" in text
    assert "known to its tenant alone" in text
    assert "Of 1 chain its tenant alone knows what became" in text
    assert "No recovery of your own sessions is known" in text


@pytest.mark.django_db
def test_what_retries_burnt_is_absent_for_who_does_not_know_what_became_of_them(
    browser: Browser,
) -> None:
    people = cast()
    measured(people, 100, None)
    (own,) = rest(people.tenant)["chains"]
    assert (own["outcome"], own["burnt_gpu_hours"]) == ("gave-up", 32.0)
    (chain,) = rest(people.operator, cluster=people.cluster.slug)["chains"]
    assert (chain["known"], chain["outcome"], chain["burnt_gpu_hours"]) == (False, None, None)
    assert [each["got_past"] for each in chain["retries"]] == [None]
    answer = clients.token(people.operator).get(
        "retry-chains/export.csv", **QUERY, cluster=people.cluster.slug
    )
    (row,) = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
    assert (row["burnt_gpu_hours"], row["gpu_hours"]) == ("", "32.0")
    assert cell_of(page(browser, people.operator), "Burnt")[-1] == "–"  # noqa: RUF001  no number
    session = chain["sessions"][0]
    shown = browser(people.operator).get(f"/o/{people.operator.slug}/sessions/{session}/")
    text = shown.content.decode()
    assert "known to its tenant alone" in text
    assert "did not get past the stop" not in text
    assert cell_of(text, "Burnt") == ["–"]  # noqa: RUF001  no number


def cell_of(text: str, label: str) -> list[str]:
    """Return the cells of a column of a page."""
    parts = text.split(f'data-label="{label}">')[1:]
    return [part.split("<")[0].strip() for part in parts]


@pytest.mark.django_db
def test_a_tenant_without_logs_is_not_told_that_its_tenant_alone_knows(browser: Browser) -> None:
    people = cast()
    measured(people, 100, None)
    with organization_scope(people.tenant.pk):
        AttemptMeasure.objects.update(is_told=False, last_step=None, saved_step=None)
    text = page(browser, people.tenant)
    assert "Of 1 chain no step or save was told" in text
    assert "tenant alone" not in text
    assert "its tenant&#x27;s" not in text


@pytest.mark.django_db
def test_another_tenant_sees_none_of_it_on_the_same_cluster(browser: Browser) -> None:
    people = cast()
    measured(people, 100, None)
    for query in (DAYS, f"{DAYS}&cluster={people.cluster.slug}"):
        assert "No chain of retries in this time." in page(browser, people.other, query)
    assert rest(people.other)["chains"] == []
    assert rest(people.other, "recoveries/")["recoveries"] == []


@pytest.mark.django_db
def test_a_cluster_without_a_part_in_it_is_not_found_and_a_stranger_sees_nothing(
    browser: Browser,
) -> None:
    people = cast()
    measured(people, 100, None)
    foreign = make.cluster()
    asked = clients.token(people.tenant).get("retry-chains/", cluster=foreign.slug)
    assert asked.status_code == 404
    stranger = make.organization()
    assert browser(stranger).get(f"/o/{people.tenant.slug}/retries/").status_code == 404


def rest(reader: Organization, path: str = "retry-chains/", **query: str) -> Any:
    """Return what the interface answers a party."""
    answer = clients.token(reader).get(path, **{**QUERY, **query})
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.django_db
def test_the_same_comes_by_rest_and_as_csv() -> None:
    people = cast()
    measured(people, 100, None, 140)
    told = rest(people.tenant)
    (chain,) = told["chains"]
    assert (chain["outcome"], chain["automatic"], chain["known"]) == ("recovered", True, True)
    assert [each["kept_progress"] for each in chain["retries"]] == [False, True]
    assert [each["gap_seconds"] for each in chain["retries"]] == [660.0, 660.0]
    assert chain["gpu_hours"] == 64.0
    assert chain["burnt_gpu_hours"] == 32.0
    assert told["rates"]["automatic"] | {"interval": None} == {
        "recovered": 1, "n": 1, "share": 1.0, "interval": None, "starts": 2,
        "gap_seconds": [660.0, 660.0, 660.0], "gpu_hours": 64.0, "burnt_gpu_hours": 32.0,
        "burnt_unknown": 0,
    }  # fmt: skip
    assert told["rates"]["difference"] == "not significant"
    answer = clients.token(people.tenant).get("retry-chains/export.csv", **QUERY)
    (row,) = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
    assert (row["retries"], row["outcome"], row["crash_loop"]) == ("2", "recovered", "false")


@pytest.mark.django_db
def test_recoveries_add_up_and_are_compared_before_and_since_a_day() -> None:
    people = cast()
    measured(people, 100, None, None)
    told = rest(people.tenant, "recoveries/")
    assert [each["following"] for each in told["recoveries"]] == [3, 2]
    assert told["complete_count"] == sum(each["complete"] for each in told["recoveries"]) == 2
    for each in told["recoveries"]:
        assert sum(each["stages_ms"].values()) == each["total_ms"] == 760_000
        assert "failure_detected" in each["missing"]
    assert told["change"] is None
    with organization_scope(people.tenant.pk):
        later = RecoveryMeasure.objects.order_by("starts_at").last()
        assert later is not None
        RecoveryMeasure.objects.filter(pk=later.pk).update(
            starts_at=later.starts_at + timedelta(days=1), requeue_ms=later.requeue_ms - 357_200
        )
    change = rest(people.tenant, "recoveries/", changed="2026-11-23")["change"]
    assert change["change"] == pytest.approx(-0.47)
    assert (change["before_count"], change["after_count"]) == (1, 1)


@pytest.mark.django_db
def test_simulated_recoveries_are_counted_only_where_simulated_ones_are_asked_for() -> None:
    people = cast()
    measured(people, 100, None, None)
    reader = actor(people.tenant)
    with organization_scope(people.tenant.pk):
        asked = scope_of(
            actor=reader,
            audience=Audience.OWN,
            cluster=None,
            first_day=(NOW - timedelta(days=30)).date(),
            last_day=NOW.date(),
        )
        real, both = (replace(asked, with_simulated=each) for each in (False, True))
        assert len(recoveries_in_period(actor=reader, scope=real).recoveries) == 2
        Session.objects.update(is_simulated=True)
        assert recoveries_in_period(actor=reader, scope=real).recoveries == ()
        assert len(recoveries_in_period(actor=reader, scope=both).recoveries) == 2


@pytest.mark.django_db
def test_measuring_twice_and_late_attempts_leave_each_recovery_once() -> None:
    people = cast()
    measured(people, 100, None, None)
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
        before = list(RecoveryMeasure.objects.order_by("starts_at").values())
    again = measure_session(organization_id=people.tenant.pk, session_id=session.pk, now=NOW)
    assert again.changed_count == 0
    with organization_scope(people.tenant.pk):
        assert list(RecoveryMeasure.objects.order_by("starts_at").values()) == before
        Attempt.objects.filter(number=2).update(ended_at=None, state="running")
    measure_session(organization_id=people.tenant.pk, session_id=session.pk, now=NOW)
    with organization_scope(people.tenant.pk):
        assert RecoveryMeasure.objects.count() == 1
    for reader in (people.operator, people.other):
        with organization_scope(reader.pk):
            assert RecoveryMeasure.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query", ["first_day=2026-11-26&last_day=2026-11-20", "first_day=yesterday", "outcome=recoverd"]
)
def test_odd_days_and_outcomes_are_said(browser: Browser, query: str) -> None:
    people = cast()
    assert 'class="message' in page(browser, people.tenant, query)
    named = dict(each.split("=") for each in query.split("&"))
    assert clients.token(people.tenant).get("retry-chains/", **named).status_code == 400


@pytest.mark.django_db
def test_an_incident_of_several_attempts_is_listed_with_the_chain_that_it_hit(
    browser: Browser,
) -> None:
    people = cast()
    unmeasured(people)
    with organization_scope(people.tenant.pk):
        first, second = Attempt.objects.order_by("number")
    correlate_attempt(owner_id=people.tenant.pk, attempt_id=first.pk, now=NOW)
    with organization_scope(people.tenant.pk):
        Incident.objects.update(attempt=None)
        IncidentSession.objects.update(attempt=second)
        incident = Incident.objects.get()
    assert incident.public_id in page(browser, people.tenant)
    (chain,) = rest(people.tenant)["chains"]
    assert chain["incidents"] == [incident.public_id]
    assert incident.public_id not in page(browser, people.other)


def unmeasured(people: Cast) -> None:
    """Tell of two attempts of a session of the tenant, and of no steps or saves."""
    for number in (1, 2):
        begin = START + number * timedelta(minutes=40)
        for state, at in (("RUNNING", begin), ("NODE_FAIL", begin + timedelta(minutes=30))):
            told = {
                "scheduler": "slurm",
                "session": "4711",
                "project": "solar",
                "attempt": number,
                "scheduler_state": state,
                "at": at.isoformat(),
                "hosts": ["gpu001"],
            }
            answer = push_json("/api/v1/session-events", people.token(people.platform), told)
            assert answer.status_code == 200, answer.content
