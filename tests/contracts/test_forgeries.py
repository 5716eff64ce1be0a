"""What an enemy with an organization's token and the source tried, and what became of it."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.fleet.models import Attempt, Participation, ParticipationRole, Session
from apps.fleet.parties.host_agreements import agree
from apps.fleet.parties.leave_cluster import give_up
from apps.incidents.models import EvidenceItem, Hypothesis, Incident
from apps.telemetry.scheduler.reports import look_again
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.parties import NOW, World, build, send, settle
from tests.contracts.forgery_scene import (
    AT,
    NCCL,
    XID,
    died,
    entries,
    incident_of,
    nfs,
    shared,
    two_sessions_on_one_server,
)

pytestmark = [pytest.mark.django_db, pytest.mark.sweep]
LITERAL = re.compile(r"'[^']*'|\bs\d+_x\d+\b|\b\d+\b", re.ASCII)


def told(world: World, who: str, **fields: Any) -> Any:
    """Report the victim's session."""
    event = {"session": "job-1", "scheduler": "slurm", "project": "solar", **fields}
    return send(world, who, "/api/v1/session-events", event)


def test_a_vendor_does_not_end_a_session_and_both_sides_read_that_it_tried() -> None:
    world = build()
    told(world, "platform", state="running", at=AT.isoformat(), hosts=["gpu001"])
    for _ in range(3):
        assert told(world, "gpu_vendor", state="finished", at=AT.isoformat()).status_code == 403
    settle(world)

    with organization_scope(*world.ids):
        attempt = Attempt.objects.get()
        assert attempt.state == "running"
        session = attempt.session
    vendor = world.parties["gpu_vendor"].slug
    assert entries(world, "victim", "facts.refused") == [
        (f"organization:{vendor}", f"{world.cluster.slug} session {session.public_id}")
    ]
    (own,) = entries(world, "gpu_vendor", "facts.refused")
    assert session.public_id not in own[1]


def test_what_is_refused_costs_the_same_whether_the_session_is_there() -> None:
    world = build()
    told(world, "platform", state="running", at=AT.isoformat(), hosts=["gpu001"])
    many = [{"session": f"job-{number}", "state": "running"} for number in range(300)]
    statements: dict[str, list[list[str]]] = {}  # of each request
    for name in ("job-1", "job-9", "job-1"):
        event: dict[str, Any] = {"session": name, "state": "running"}
        work = []
        for path, body, labels in (
            ("/api/v1/session-events", event, {}),
            ("/api/v1/session-events", {"events": [event, *many[10:]]}, {}),
            ("/api/v1/logs", NCCL, {"session": name}),
        ):
            with CaptureQueriesContext(connection) as asked:
                assert send(world, "gpu_vendor", path, body, **labels).status_code == 403
            work.append([LITERAL.sub("?", each["sql"]) for each in asked.captured_queries])
        statements[name] = work

    assert statements["job-1"] == statements["job-9"]


def test_a_tenants_kernel_line_counts_for_itself_alone_and_is_marked() -> None:
    world = build()
    told(
        world,
        "platform",
        state="running",
        at=(AT - timedelta(hours=1)).isoformat(),
        hosts=["gpu001"],
    )
    for who, name in (("victim", "job-1"), ("tenant", "job-2")):
        died(world, who, name, host="gpu001")
    send(world, "tenant", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    settle(world)

    assert incident_of(world, "victim").cause != "gpu-off-bus"
    forged = incident_of(world, "tenant")
    assert forged.cause == "gpu-off-bus"
    with organization_scope(*world.ids):
        marked = EvidenceItem.objects.filter(incident=forged, text__contains="Xid")
        assert {item.is_claimed for item in marked} == {True}
        held = Hypothesis.objects.get(incident=forged, position=0).held
    assert {entry["claimed"] for entry in held if entry["layer"] == "gpu"} == {True}


def test_who_claims_a_host_reads_nothing_of_what_its_operator_knows() -> None:
    world = build()
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    send(world, "operator", "/api/v1/inventory", {"nodes": [{"name": "gpu001", "aliases": ["n7"]}]})
    died(world, "tenant", "job-2", host="n7")
    event = {"session": "job-2", "hosts": ["gpu001", "n7"], "ranks": {"0": {"host": "gpu001"}}}
    send(world, "tenant", "/api/v1/session-events", event)
    settle(world)

    found = incident_of(world, "tenant")
    assert found.cause != "gpu-off-bus"
    assert {"kernel-log": "absent"}.items() <= {
        each["source"]: each["state"] for each in found.coverage
    }.items()


def test_once_the_operator_takes_its_word_the_hosts_count_and_no_longer_when_not() -> None:
    world = build()
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    died(world, "victim", host="gpu001")
    settle(world)
    causes = [incident_of(world, "victim").cause]
    for is_agreed in (True, False):
        attempts = agree(
            cluster=world.cluster,
            slug=world.victim.slug,
            part=ParticipationRole.TENANT,
            is_agreed=is_agreed,
            now=NOW,
        )
        assert attempts
        with organization_scope(*world.ids):
            look_again(organization_id=world.parties["operator"].pk, attempts=attempts, now=NOW)
        settle(world)
        causes.append(incident_of(world, "victim").cause)

    assert [cause == "gpu-off-bus" for cause in causes] == [False, True, False]


def test_what_was_asserted_stays_so_after_a_hand_over_and_what_was_claimed_is_not_lifted() -> None:
    world = build()
    make.participation(
        organization=world.parties["platform"],
        cluster=world.cluster,
        part=ParticipationRole.OPERATOR,
    )
    told(
        world,
        "operator",
        state="running",
        at=(AT - timedelta(hours=1)).isoformat(),
        hosts=["gpu001"],
    )
    died(world, "victim", host="gpu001")
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    settle(world)
    former = world.parties["operator"]
    later = NOW + timedelta(days=365)  # tokens push by the machine's clock
    with organization_scope(former.pk):
        give_up(
            organization=former, cluster=world.cluster, part=ParticipationRole.OPERATOR, now=later
        )
    send(world, "victim", "/api/v1/logs", NCCL.replace("rank0", "rank1"), session="job-1", rank="1")
    settle(world)
    assert incident_of(world, "victim").cause == "gpu-off-bus"

    send(world, "tenant", "/api/v1/logs", XID.replace("001", "009"), stream="kernel", host="gpu009")
    with organization_scope(world.parties["tenant"].pk):
        Participation.objects.create(
            organization=world.parties["tenant"],
            cluster=world.cluster,
            part=ParticipationRole.OPERATOR,
            since=later,
        )
    told(world, "platform", session="job-9", state="running", hosts=["gpu009"])
    died(world, "victim", "job-9", host="gpu009")
    settle(world)
    with organization_scope(*world.ids):
        second = Incident.objects.get(attempt__session__name="job-9")
    assert second.cause != "gpu-off-bus"


def test_what_two_parties_say_of_one_field_is_kept_and_both_read_of_it() -> None:
    world = build()
    told(world, "platform", state="failed", at=AT.isoformat(), hosts=["gpu001"])
    late = {"at": (AT + timedelta(minutes=1)).isoformat()}
    told(world, "victim", state="finished", hosts=["gpu001", "gpu007"], **late)

    with organization_scope(*world.ids):
        attempt = Attempt.objects.get()
    assert attempt.hosts == ["gpu001"]
    platform, victim = world.parties["platform"].slug, world.victim.slug
    assert attempt.field_sources["hosts"][0] == platform
    assert {(each["field"], each["organization"]) for each in attempt.contradictions} == {
        ("hosts", victim),
        ("state", platform),
    }
    for who in ("victim", "platform"):
        assert len(entries(world, who, "session.contradicted")) == 1
        assert len(entries(world, who, "session.asserted")) == 1


def test_a_platforms_log_of_a_name_that_a_tenant_took_first_joins_nothing() -> None:
    world = build()
    died(world, "tenant", "job-1")
    send(world, "platform", "/api/v1/logs", NCCL, session="job-1", rank="3", stream="session")
    settle(world)

    with organization_scope(*world.ids):
        mine = Session.objects.get(organization=world.parties["tenant"])
        held = EvidenceItem.objects.filter(incident__attempt__session=mine)
        assert {item.organization_id for item in held} <= {world.parties["tenant"].pk}


def test_what_a_tenant_claims_weighs_nothing_where_others_read_of_a_shared_part() -> None:
    world = build()
    two_sessions_on_one_server(world)
    before = shared(world)
    for said in (
        "nfs: server nas1 not responding, timed out",
        "NFS: nfs4_reclaim_open_state: Lock reclaim failed!",
    ):
        line = nfs("gpu002").partition("nfs: ")[0] + said
        send(world, "tenant", "/api/v1/logs", line, stream="kernel", host="gpu002")
    settle(world)

    after = shared(world)
    assert (after.cause, after.verdict_status) == (before.cause, before.verdict_status)
    assert (after.probability, after.revision) == (before.probability, before.revision)
    with organization_scope(*world.ids):
        assert not EvidenceItem.objects.filter(incident=after, is_claimed=True).exists()
