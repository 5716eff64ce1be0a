"""A state that the scheduler tells is evidence; that a job runs is no incident."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.models import EvidenceItem, Incident, IncidentParty
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in
from tests.cast import make
from tests.cast.pushes import Cast, cast, push_json

pytestmark = pytest.mark.django_db
SESSION = "9001"
EIGHT = [f"gpu00{number}" for number in range(1, 9)]
STAMP = f"{make.AT:%Y-%m-%dT%H:%M:%S}"
LATER = make.AT + timedelta(hours=1)


def tell(people: Cast, by: Organization, state: str, **more: Any) -> None:
    """Report a state of the session."""
    event = {
        "scheduler": "slurm",
        "session": SESSION,
        "project": "solar",
        "scheduler_state": state,
        "at": make.AT.isoformat(),
        "hosts": EIGHT,
        **more,
    }
    answer = push_json("/api/v1/session-events", people.token(by), event)
    assert answer.status_code == 200, answer.content


def began(people: Cast, by: Organization) -> None:
    """Report that it runs, two hours before."""
    tell(people, by, "RUNNING", at=(make.AT - timedelta(hours=2)).isoformat())


def look(people: Cast, *, now: datetime = LATER) -> list[Incident]:
    """Diagnose the attempt from what is stored; return its incidents."""
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get()
    correlate_attempt(owner_id=people.tenant.pk, attempt_id=attempt.pk, now=now)
    with organization_scope(people.tenant.pk, people.operator.pk):
        return list(Incident.objects.exclude(status__in=["merged", "withdrawn"]))


def evidence(people: Cast) -> list[tuple[int, bool]]:
    """Return whose the evidence is, and whether it is only claimed."""
    with organization_scope(people.tenant.pk, people.operator.pk, people.platform.pk):
        rows = EvidenceItem.objects.filter(cause="host/node-unreachable", side="for")
        return [(row.organization_id, row.is_claimed) for row in rows if row.fact]


@pytest.mark.parametrize("word", ["NODE_FAIL", "NF"])
def test_a_node_that_failed_is_the_cause_as_in_a_log(word: str) -> None:
    people = cast()
    began(people, people.platform)
    tell(people, people.platform, word)
    (incident,) = look(people)
    assert (incident.layer, incident.cause) == ("host", "node-unreachable")
    assert incident.started_at == make.AT
    assert evidence(people) == [(people.tenant.pk, False)]


def test_the_node_that_slurm_names_is_blamed_and_one_that_is_not_its_own_is_not() -> None:
    people = cast()
    began(people, people.platform)
    tell(people, people.platform, "NODE_FAIL", reason="gpu008")
    (incident,) = look(people)
    assert [each["host"] for each in incident.culprits] == ["gpu008"]
    people = cast()
    began(people, people.platform)
    tell(people, people.platform, "NODE_FAIL", reason="gpu099")
    (incident,) = look(people)
    assert incident.culprits == []


def test_what_its_tenant_tells_is_a_claim_and_who_runs_the_scheduler_is_heard_before_it() -> None:
    people = cast()
    began(people, people.tenant)
    tell(people, people.tenant, "NODE_FAIL")
    (incident,) = look(people)
    assert incident.cause == "node-unreachable"
    assert evidence(people) == [(people.tenant.pk, True)]
    tell(people, people.platform, "NODE_FAIL", at=(make.AT + timedelta(seconds=3)).isoformat())
    look(people)
    assert evidence(people) == [(people.tenant.pk, False)]


def test_told_twice_and_in_any_order_it_is_one_incident() -> None:
    people = cast()
    for _twice in range(2):
        tell(people, people.platform, "NODE_FAIL")
        began(people, people.platform)
        assert [each.cause for each in look(people)] == ["node-unreachable"]
    assert len(evidence(people)) == 1


def test_a_state_of_an_orderly_end_blames_nothing() -> None:
    people = cast()
    began(people, people.platform)
    tell(people, people.platform, "CANCELLED")
    assert look(people) == []


@pytest.mark.parametrize("word", ["RUNNING", "COMPLETED", "CANCELLED", "TIMEOUT", "PREEMPTED"])
@pytest.mark.parametrize("seconds", [-30, 30, 7200])
def test_no_word_of_its_tenant_takes_back_that_its_node_failed(word: str, seconds: int) -> None:
    people = cast()
    began(people, people.platform)
    tell(people, people.platform, "NODE_FAIL", reason="gpu008")
    tell(people, people.tenant, word, at=(make.AT + timedelta(seconds=seconds)).isoformat())
    (incident,) = look(people)
    assert incident.cause == "node-unreachable"
    assert [each["host"] for each in incident.culprits] == ["gpu008"]


@pytest.mark.parametrize("word", ["COMPLETED", "CANCELLED"])
def test_who_runs_the_scheduler_takes_back_its_own_word(word: str) -> None:
    people = cast()
    began(people, people.platform)
    tell(people, people.platform, "NODE_FAIL", reason="gpu008")
    later = (make.AT + timedelta(minutes=30)).isoformat()
    tell(people, people.platform, word, at=later)
    assert look(people) == []
    tell(people, people.tenant, word, at=later)
    assert look(people) == []


def test_what_a_tenant_claims_of_a_node_it_takes_back_itself() -> None:
    people = cast()
    began(people, people.tenant)
    tell(people, people.tenant, "NODE_FAIL", reason="gpu008")
    tell(people, people.tenant, "COMPLETED", at=(make.AT + timedelta(minutes=1)).isoformat())
    assert look(people) == []


def test_another_tenant_reads_none_of_it() -> None:
    people = cast()
    began(people, people.platform)
    tell(people, people.platform, "NODE_FAIL")
    look(people)
    with organization_scope(people.other.pk):
        assert not EvidenceItem.objects.exists()
        assert not IncidentParty.objects.exists()


@pytest.mark.parametrize(
    ("job", "count"), [("llama-0", 0), (f"{SESSION}1", 0), (f"1{SESSION}", 0), (SESSION, 1)]
)
def test_a_job_that_runs_where_others_failed_has_no_incident(job: str, count: int) -> None:
    people = cast()
    began(people, people.platform)
    queue = f"{STAMP}Z filer7 nfsd[771] WARN: rpc service queue depth 3970/4096, clients waiting 55"
    come_in(people.operator, people.cluster, [queue], at=make.AT, stream="storage", host="filer7")
    failed = [f"{STAMP}Z pod {job} container trainer terminated with exit code 1"]
    come_in(people.operator, people.cluster, failed, at=make.AT, stream="scheduler")
    assert len(look(people)) == count
