"""Which stored lines are about an attempt: its own, those of its hosts, those of shared parts."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.diagnosis.model import Reading
from apps.fleet.models import Attempt
from apps.telemetry.attempts import readings as rows
from apps.telemetry.attempts.readings import StoredReadings, readings_of_attempt
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.pushes import Cast, cast, drain_all, push_json, push_loki, push_text

START = datetime(2026, 11, 21, 1, 0, tzinfo=UTC)
EVENT: dict[str, object] = {
    "scheduler": "slurm",
    "session": "run-1",
    "project": "solar",
    "hosts": ["gpu001", "gpu002"],
    "state": "running",
    "at": START.isoformat(),
}


def told(*events: dict[str, object]) -> Cast:
    """Return parties of which the platform told these events, and `run-2` of the other tenant."""
    people = cast()
    foreign = {**EVENT, "session": "run-2", "project": "lunar", "hosts": ["gpu003"]}
    push_json(
        "/api/v1/session-events", people.token(people.platform), {"events": [*events, foreign]}
    )
    inventory = {"nodes": [{"name": "gpu001", "aliases": ["10.0.0.1"]}]}
    push_json("/api/v1/inventory", people.token(people.operator), inventory)
    return people


def xid(host: str, at: datetime) -> str:
    """Return a kernel line that is an event."""
    text = "NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus."
    return f"{at.isoformat()} {host} kernel: {text}"


def stored(people: Cast, *, number: int = 1) -> StoredReadings:
    """Interpret everything and return what is stored about the tenant's attempt."""
    everybody = (people.operator, people.platform, people.tenant, people.other)
    drain_all(*everybody)
    with organization_scope(*(each.pk for each in everybody)):
        attempts = Attempt.objects.select_related("session").filter(number=number)
        return readings_of_attempt(attempt=attempts.get(session__name="run-1"))


def told_lines(readings: tuple[Reading, ...]) -> list[tuple[str | None, str]]:
    """Return (host, signature) of all events."""
    return sorted(
        (event.line.host or "", event.signature) for reading in readings for event in reading.events
    )


@pytest.mark.django_db
def test_kernel_lines_join_by_host_and_time_under_any_name_of_the_host() -> None:
    people = told(EVENT)
    near, far = START + timedelta(minutes=10), START - timedelta(days=2)
    for host, at in (("10.0.0.1", near), ("gpu002", far), ("gpu003", near)):
        labels = {"stream": "kernel", "host": host}
        push_text(people.token(people.operator), xid(host, at), **labels)
    end = {**EVENT, "state": "failed", "at": (START + timedelta(minutes=20)).isoformat()}
    push_json("/api/v1/session-events", people.token(people.platform), end)
    found = stored(people)
    assert told_lines(found.readings) == [("10.0.0.1", "nvrm-xid-79")]
    assert set(found.holder_of_source.values()) == {people.operator.pk}


@pytest.mark.django_db
def test_one_kernel_stream_of_all_hosts_is_sorted_by_host() -> None:
    people = told(EVENT)
    lines = [xid(host, START) for host in ("gpu001", "gpu002", "gpu003")]
    push_text(people.token(people.operator), "\n".join(lines), stream="kernel")
    hosts = [host for host, _ in told_lines(stored(people).readings)]
    assert hosts == ["gpu001", "gpu002"]


@pytest.mark.django_db
def test_a_scheduler_line_about_another_session_is_not_about_this_one() -> None:
    people = told(EVENT)
    words = (
        "slurmstepd: error: *** JOB {} ON gpu001 CANCELLED AT 2026-11-21T01:10:00 "
        "DUE TO TIME LIMIT ***"
    )
    lines = "\n".join(words.format(name) for name in ("run-2", "run-1"))
    push_text(people.token(people.platform), lines, stream="scheduler")
    events = [event for reading in stored(people).readings for event in reading.events]
    assert events
    assert all("run-1" in event.line.text for event in events)


@pytest.mark.django_db
def test_session_lines_stay_with_the_tenant_who_holds_them() -> None:
    people = told(EVENT)
    push_text(people.token(people.tenant), "Traceback", session="run-1", rank="3")
    found = stored(people)
    assert set(found.holder_of_source.values()) == {people.tenant.pk}
    assert list(found.label_of_source.values()) == ["log rank 3"]


@pytest.mark.django_db
def test_a_stream_without_an_attempt_label_is_shared_out_by_time() -> None:
    second = {**EVENT, "attempt": 2, "at": (START + timedelta(hours=2)).isoformat()}
    people = told(EVENT, second)
    ns = int(START.timestamp()) * 10**9
    warning = "gpu001:1:1 [0] NCCL WARN Cuda failure 'unknown error'"
    lines = [(ns + minutes * 60 * 10**9, warning) for minutes in (10, 130)]
    push_loki(people.token(people.tenant), lines, {"session": "run-1", "stream": "session"})
    for number, minutes in ((1, 10), (2, 130)):
        events = [e for r in stored(people, number=number).readings for e in r.events]
        assert [event.line.at for event in events] == [START + timedelta(minutes=minutes)]


@pytest.mark.django_db
def test_what_is_stored_is_what_was_read() -> None:
    people = told(EVENT)
    push_text(people.token(people.operator), xid("gpu001", START), stream="kernel", host="gpu001")
    reading = stored(people).readings[0]
    event = reading.events[0]
    assert (event.line.at, event.line.number, event.line.dialect) == (
        START,
        1,
        "journald_short_iso",
    )
    assert event.fields["pci"] == "0000:1b:00.0"
    assert event.causes == ("gpu-off-bus",)
    assert reading.extents[0].line_count == 1


@pytest.mark.django_db
def test_without_a_scheduler_the_labels_of_a_tenant_are_claims_and_join_nothing_of_others() -> None:
    people = told()
    push_text(people.token(people.tenant), "a line", session="run-1", host="gpu002")
    push_text(people.token(people.operator), xid("gpu002", START), stream="kernel", host="gpu002")
    assert told_lines(stored(people).readings) == []
    with organization_scope(people.operator.pk):
        attempt = Attempt.objects.get(session__name="run-1")
        assert (attempt.hosts, attempt.hosts_asserted) == (["gpu002"], False)


@pytest.mark.django_db
def test_without_a_scheduler_the_labels_say_where_a_session_ran_once_that_is_agreed() -> None:
    people = told()
    make.agreed(organization=people.tenant, cluster=people.cluster)
    for host in ("gpu001.dc.example", "gpu002"):
        push_text(people.token(people.tenant), "a line", session="run-1", host=host)
    push_text(people.token(people.operator), xid("gpu002", START), stream="kernel", host="gpu002")
    assert told_lines(stored(people).readings) == [("gpu002", "nvrm-xid-79")]
    with organization_scope(people.operator.pk):
        attempt = Attempt.objects.get(session__name="run-1")
        assert attempt.hosts == ["gpu001", "gpu002"]
    push_json("/api/v1/session-events", people.token(people.platform), {**EVENT, "hosts": ["gpu7"]})
    with organization_scope(people.operator.pk):
        attempt.refresh_from_db()
        assert attempt.hosts == ["gpu7"]


@pytest.mark.django_db
def test_of_a_flood_the_first_and_last_of_each_kind_are_looked_at_and_others_lose_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "MOST_EVENTS", 12)
    people = told(EVENT)
    at = START + timedelta(minutes=10)
    flood = [
        f"{(at + timedelta(seconds=number)).isoformat()} [rank{rank}]: RuntimeError: CUDA error: "
        "out of memory"
        for number in range(20)
        for rank in range(2)
    ]
    rare = f"{at.isoformat()} [rank0]: OSError: [Errno 116] Stale file handle"
    labels = {"session": "run-1", "host": "gpu001"}
    token = people.token(people.tenant)
    push_text(token, "\n".join([*flood[:20], rare, *flood[20:]]), rank="0", **labels)
    push_text(people.token(people.operator), xid("gpu001", at), stream="kernel", host="gpu001")
    found = stored(people)
    own = [line for line in told_lines(found.readings) if line[1] != "nvrm-xid-79"]
    assert found.is_cut
    assert len(own) == 12
    assert len({signature for _, signature in own}) > 1
    assert ("gpu001", "nvrm-xid-79") in told_lines(found.readings)
    monkeypatch.setattr(rows, "MOST_EVENTS", 100)
    assert not stored(people).is_cut
