"""What is still lacking for a diagnosis, counted from what came in and what was told."""

from datetime import timedelta
from time import time

import pytest
from django.utils import timezone

from apps.fleet.models import Node, Participation
from apps.telemetry.status.arrivals import arrivals_of
from apps.telemetry.status.completeness import Completeness, completeness_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.web.connect.ingest_checklist import KINDS
from apps.web.connect.missing_inputs import lacks
from tests.cast.incidents import actor
from tests.cast.pushes import NOW, Cast, cast, drain_all, push_json, push_loki, push_text

pytestmark = pytest.mark.django_db
AT = int(NOW.timestamp()) * 1_000_000_000
REPORT = {
    "scheduler": "slurm",
    "session": "run-7",
    "project": "solar",
    "state": "running",
    "at": (NOW - timedelta(hours=1)).isoformat(),
    "hosts": ["gpu001", "gpu002.example.com"],
}


@pytest.fixture
def people() -> Cast:
    """A cluster, whose operator knows of three hosts."""
    made = cast()
    inventory = {
        "nodes": [
            {"name": "gpu001", "aliases": ["10.0.0.1"]},
            {"name": "gpu002"},
            {"name": "gpu003"},
        ]
    }
    push_json("/api/v1/inventory", made.token(made.operator), inventory)
    return made


def kernel(people: Cast, host: str, *, stamp: int = AT) -> None:
    """Send a line of a host's kernel as the operator."""
    labels = {"stream": "kernel", "host": host}
    push_loki(people.token(people.operator), [(stamp, f"usb of {host}")], labels)
    drain_all(people.operator)


def seen(people: Cast, organization: Organization) -> Completeness:
    """Return what is there and lacking for one party."""
    with organization_scope(organization.pk):
        return completeness_of(actor=actor(organization), cluster=people.cluster, now=NOW)


def test_refused_events_are_counted_with_the_last_reason_for_their_sender_alone(
    people: Cast,
) -> None:
    def count(organization: Organization) -> int:
        refused = seen(people, organization).refused
        return refused.count if refused else 0

    before, of_operator = count(people.platform), count(people.operator)
    good = {**REPORT, "session": "run-8"}
    bad = {**REPORT, "state": "exploded"}
    unknown = {**REPORT, "session": "run-9", "project": "nobody's"}
    for events, status in (([good], 200), ([bad, unknown, good], 200), ([bad], 400)):
        answer = push_json(
            "/api/v1/session-events", people.token(people.platform), {"events": events}
        )
        assert answer.status_code == status
    elsewhere = {**REPORT, "cluster": "not-here"}
    push_json("/api/v1/session-events", people.token(people.platform), elsewhere)

    found = seen(people, people.platform)
    assert found.refused is not None
    assert found.refused.count - before == 4
    assert "There is no such cluster" in found.refused.why
    (told,) = (each for each in lacks(found=found) if each.name == str(KINDS["sessions"]))
    assert told.state == "partly"
    assert f"{found.refused.count} events were refused lately" in told.detail
    assert count(people.operator) == of_operator


def test_hosts_without_a_kernel_log_are_named_whatever_they_are_called(people: Cast) -> None:
    for host in ("10.0.0.1", "gpu002.example.com"):
        kernel(people, host)

    found = seen(people, people.operator).kernel

    assert (found.heard, found.expected, found.never) == (2, 3, ("gpu003",))


def test_a_host_that_spoke_long_ago_is_quiet_and_not_lacking(people: Cast) -> None:
    kernel(people, "gpu001")
    later = timezone.now() + timedelta(days=3)  # noqa: TID251  receivers read the clock
    with organization_scope(people.operator.pk):
        found = completeness_of(
            actor=actor(people.operator), cluster=people.cluster, now=later
        ).kernel

    assert found.quiet == ("gpu001",)
    assert "gpu001" not in found.never


def test_nobody_knows_of_hosts_that_nobody_told_of(people: Cast) -> None:
    found = seen(people, people.other)

    assert (found.known_hosts, found.kernel.expected, found.kernel.never) == ((), 0, ())


def test_a_tenant_learns_which_of_its_sessions_have_no_log_and_which_hosts_are_silent(
    people: Cast,
) -> None:
    push_json("/api/v1/session-events", people.token(people.platform), REPORT)
    other = {**REPORT, "session": "run-8", "hosts": []}
    push_json("/api/v1/session-events", people.token(people.platform), other)
    push_text(
        people.token(people.tenant), "step 1", session="run-7", host="gpu001", stream="session"
    )
    drain_all(people.tenant)

    found = seen(people, people.tenant)

    assert found.sessions.without_log == ("run-8",)
    assert (found.sessions.count, found.sessions.without_hosts, found.sessions.told) == (2, 1, 2)
    assert found.session_hosts.never == ("gpu002",)
    assert found.held == {"session"}
    assert seen(people, people.operator).held == {
        "kernel",
        "metrics",
        "inventory",
        "fabric",
        "storage",
    }  # nobody else here has the last two
    assert seen(people, people.platform).held == {"sessions"}
    assert seen(people, people.platform).sessions.without_log == ()


def test_sessions_that_only_logs_name_are_no_starts_that_were_told(people: Cast) -> None:
    push_json("/api/v1/session-events", people.token(people.platform), REPORT)
    for name in ("run-1", "run-2"):
        push_text(people.token(people.tenant), "step 1", session=name, stream="session")
    drain_all(people.tenant)

    found = seen(people, people.tenant).sessions

    assert (found.count, found.told, found.without_hosts) == (3, 1, 0)


def test_an_operator_is_asked_for_what_nobody_else_is_there_to_send(people: Cast) -> None:
    with organization_scope(people.platform.pk):
        Participation.objects.filter(organization=people.platform).delete()

    assert "sessions" in seen(people, people.operator).held
    rows = {each.name: each.text for each in lacks(found=seen(people, people.tenant))}
    assert rows[str(KINDS["sessions"])] == "the operator's to send"


def test_clocks_that_are_ahead_and_times_without_zone_are_told(people: Cast) -> None:
    kernel(people, "gpu001", stamp=int((time() + 1800) * 1e9))
    text = "[Fri Nov 20 03:12:44 2026] usb 1-1: new device\n[Fri Nov 20 03:12:45 2026] usb 1-1: x"
    push_text(people.token(people.operator), text, stream="kernel", host="gpu002")
    drain_all(people.operator)

    found = seen(people, people.operator)

    assert found.ahead == ("gpu001",)
    assert found.without_zone == ("gpu002",)


def test_the_first_line_of_a_kind_is_told_as_the_first(people: Cast) -> None:
    before, who = NOW - timedelta(minutes=1), actor(people.operator)
    kernel(people, "gpu001")
    with organization_scope(people.operator.pk):
        new = arrivals_of(actor=who, cluster=people.cluster, since=before, known=())["kernel"]
        old = arrivals_of(actor=who, cluster=people.cluster, since=NOW, known=("kernel",))["kernel"]

    assert (new.host, new.host_count, new.first_at is not None) == ("gpu001", 1, True)
    assert (old.host, old.first_at) == ("gpu001", None)


def test_what_a_scheduler_tells_arrives_for_who_told_it(people: Cast) -> None:
    push_json("/api/v1/session-events", people.token(people.platform), REPORT)
    for organization, is_told in ((people.platform, True), (people.tenant, False)):
        with organization_scope(organization.pk):
            found = arrivals_of(
                actor=actor(organization), cluster=people.cluster, since=NOW, known=()
            )
        assert ("sessions" in found) is is_told


def test_one_party_counts_nothing_of_another(people: Cast) -> None:
    kernel(people, "gpu001")

    found = seen(people, people.tenant)

    assert (found.heard, found.node_count) == (frozenset(), 0)
    with organization_scope(people.operator.pk):
        assert Node.objects.count() == 3


def test_hosts_that_a_tenant_alone_claims_are_lacking_for_nobody_else(people: Cast) -> None:
    claim = {**REPORT, "hosts": [f"made-up-{number}" for number in range(300)]}
    assert (
        push_json("/api/v1/session-events", people.token(people.tenant), claim).status_code == 200
    )

    of_operator = seen(people, people.operator)

    assert of_operator.known_hosts == ("gpu001", "gpu002", "gpu003")
    assert (of_operator.sessions.claimed_hosts, of_operator.sessions.without_hosts) == (1, 0)
    assert len(seen(people, people.tenant).known_hosts) == 300
