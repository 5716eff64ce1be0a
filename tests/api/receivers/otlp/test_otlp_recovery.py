"""POST /v1/logs: records that tell of recovery inside a running job are its events."""

from typing import Any

import orjson
import pytest

from apps.fleet.models import Attempt, ParticipationRole
from apps.telemetry.models import Batch
from apps.telemetry.recovery.run_state import StoredRun, stored_run
from apps.tenancy.scope import organization_scope
from tests.api.receivers.otlp.log_requests import JSON, PROTOBUF, packed, send
from tests.cast import make, pushes
from tests.cast.pushes import Cast, cast

pytestmark = pytest.mark.django_db
SECOND = 1_000_000_000
BEGAN = 1_795_222_800


def value(told: Any) -> dict[str, Any]:
    """Return a value as OpenTelemetry writes it."""
    match told:
        case bool():
            return {"boolValue": told}
        case int():
            return {"intValue": str(told)}
        case float():
            return {"doubleValue": told}
        case dict():
            return {"kvlistValue": {"values": attributes(told)}}
    return {"stringValue": str(told)}


def attributes(told: dict[str, Any]) -> list[dict[str, Any]]:
    """Return attributes."""
    return [{"key": key, "value": value(each)} for key, each in told.items()]


def record(seconds: float, event_name: str = "", body: str = "", **told: Any) -> dict[str, Any]:
    """Return a record so long after the job began."""
    made: dict[str, Any] = {
        "timeUnixNano": str(int((BEGAN + seconds) * SECOND)),
        "attributes": attributes(told),
    }
    if event_name:
        made["eventName"] = event_name
    if body:
        made["body"] = {"stringValue": body}
    return made


def document(*records: dict[str, Any], scope: str = "", **labels: str) -> dict[str, Any]:
    """Return a request."""
    named = {"session": "solar-7b", "attempt": "1", **labels}
    logs = {"scope": {"name": scope}, "logRecords": list(records)}
    return {"resourceLogs": [{"resource": {"attributes": attributes(named)}, "scopeLogs": [logs]}]}


def run_of(people: Cast) -> StoredRun:
    """Return what is kept of the tenant's attempt."""
    with organization_scope(people.tenant.pk):
        found = stored_run(attempt=Attempt.objects.select_related("session").get())
    assert found is not None
    return found


CONTRACT = document(
    record(0, "faultline.job_began", replicas=4, gpus=32, microbatches=8),
    record(100, "replica_lost", replica="dp1", step=10, phase="gradient-sync", gpus=8),
    record(101, "communicator_repaired", epoch=1, members_before=4, members_after=3, ms=80.5),
    record(102, "quota_reassigned", step=10, microbatches={"dp0": 11, "dp2": 11, "dp3": 10}),
    record(
        103, step=10, microbatches=32, survivors=3, tokens=1000, **{"event.name": "step_committed"}
    ),
)


@pytest.mark.parametrize("coding", ["json", "protobuf"])
def test_events_by_name_are_the_same_as_by_json(coding: str) -> None:
    people = cast()
    body = orjson.dumps(CONTRACT) if coding == "json" else packed(CONTRACT)
    answer = send(people.token(people.tenant), body, JSON if coding == "json" else PROTOBUF)
    assert (answer.status_code, answer.content) == (200, b"{}" if coding == "json" else b"")
    found = run_of(people).run
    assert [each.replica for each in found.losses] == ["dp1"]
    assert found.terms.gpus == 32
    assert [each.step for each in found.commits] == [10]
    with organization_scope(people.tenant.pk):
        assert Attempt.objects.get().alive_gpu_count == 24
        assert not Batch.objects.exists()  # none of them is a line


def test_torchfts_loggers_are_read_by_their_scope() -> None:
    people = cast()

    def quorum(number: int, *replicas: str) -> dict[str, Any]:
        told = [
            record(number * 10, replica_id=each, rank=rank, quorum_id=number, step=number)
            for each in replicas
            for rank in range(2)
        ]
        return document(*told, scope="torchft_quorums")

    commits = [
        record(5 + step, replica_id=each, rank=0, quorum_id=1, step=step, commit_result=step != 3)
        for step in range(1, 5)
        for each in ("a", "b")
    ]
    for body in (
        quorum(2, "a"),
        quorum(1, "a", "b"),
        document(*commits, scope="torchft_commits"),
        document(record(9, replica_id="b", rank=0, quorum_id=1, step=3), scope="torchft_errors"),
    ):
        assert send(people.token(people.tenant), orjson.dumps(body), JSON).status_code == 200
    found = run_of(people).run
    assert [(each.replica, each.gpu_count) for each in found.losses] == [("b", 2)]
    assert [(each.replica, each.step) for each in found.failed_commits] == [("a", 3), ("b", 3)]
    assert [each.step for each in found.commits] == [1, 2, 4]
    assert found.error_count == 1


def test_a_record_with_words_is_a_line_too() -> None:
    people = cast()
    told = record(100, "replica_lost", "dp1 is gone", replica="dp1", gpus=8)
    body = orjson.dumps(document(told, record(101, body="step 100 loss 2.31")))
    assert send(people.token(people.tenant), body, JSON).status_code == 200
    assert len(run_of(people).run.losses) == 1
    with organization_scope(people.tenant.pk):
        assert sum(row.line_count for row in Batch.objects.all()) == 2


def test_what_is_wrong_is_counted_and_the_rest_is_kept() -> None:
    people = cast()
    good = record(100, "replica_lost", replica="dp1", gpus=8)
    bad = record(101, "replica_lost", replica="dp2")
    answer = send(people.token(people.tenant), orjson.dumps(document(good, bad)), JSON)
    assert answer.status_code == 200
    told = orjson.loads(answer.content)["partialSuccess"]
    assert told["rejectedLogRecords"] == "1"
    assert "gpus" in told["errorMessage"]
    unnamed = {"resourceLogs": [{"scopeLogs": [{"logRecords": [good]}]}]}
    nothing = send(people.token(people.tenant), orjson.dumps(unnamed), JSON)
    assert nothing.status_code == 400


def test_a_vendor_is_refused() -> None:
    people = cast()
    vendor = make.organization()
    make.participation(
        organization=vendor, cluster=people.cluster, part=ParticipationRole.GPU_VENDOR
    )
    token = pushes.token(vendor, people.cluster)
    assert send(token, orjson.dumps(CONTRACT), JSON).status_code == 403


def test_a_foreign_cluster_is_not_found() -> None:
    people = cast()
    body = orjson.dumps(
        document(*CONTRACT["resourceLogs"][0]["scopeLogs"][0]["logRecords"], cluster="elsewhere")
    )
    assert send(people.token(people.tenant), body, JSON).status_code == 404
