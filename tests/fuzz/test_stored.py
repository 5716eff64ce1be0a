"""What was stored before the doors refused it is read, and hides no neighbor."""

from datetime import UTC, datetime
from typing import Any

import pytest

from apps.fleet.models import Attempt, Node
from apps.incidents import tasks as correlating
from apps.incidents.models import Correlation, Incident
from apps.incidents.timeline import append
from apps.telemetry.models import Event, LogStream, TouchedWindow, VoiceExtent
from apps.tenancy.models import FailedWork, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member, token
from tests.cast.incidents import Cast, attempt_of, stop_of, telling

pytestmark = [pytest.mark.django_db, pytest.mark.sweep]
ENDS = (
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
)
PLACES = ("sessions/", "incidents/", "nodes/", "incidents/export?format=csv", "")


@pytest.fixture(params=ENDS, ids=["year 1", "year 9999"])
def poisoned(request: pytest.FixtureRequest, cast: Cast) -> Cast:
    """A victim's incident beside rows with a time at an end of the calendar."""
    at = request.param
    attempt = attempt_of(cast, cast.tenant, state="failed", ended_at=make.AT)
    stop_of(cast, attempt)
    other = attempt_of(cast, cast.tenant, state="failed", ended_at=at)
    incident = stop_of(cast, other)
    with organization_scope(*cast.ids):
        Attempt.objects.filter(pk=other.pk).update(started_at=at)
        Incident.objects.filter(pk=incident.pk).update(started_at=at)
        moment = telling(cast.tenant, "a moment", at=at, ends_at=at)
        append(incident=incident, tellings=[moment], now=make.AT)
    with organization_scope(cast.operator.pk):
        _told(cast, cast.operator, at)
    return cast


def _told(cast: Cast, owner: Organization, at: datetime) -> None:
    Node.objects.create(
        organization=owner, cluster=cast.cluster, name="gpu001", first_seen_at=at, last_seen_at=at
    )
    stream = LogStream.objects.create(
        organization=owner,
        cluster=cast.cluster,
        label_digest=b"l" * 32,
        labels={},
        kind="kernel",
        host="gpu001",
        line_count=1,
        first_at=at,
        last_at=at,
        last_received_at=make.AT,
    )
    body: dict[str, Any] = {
        "text": "NVRM: Xid (PCI:0000:18:00): 79, pid=1, GPU has fallen off the bus.",
        "fields": {"xid": "²", "pci": "0000:18:00"},
        "causes": ["gpu-off-bus"],
        "pid": 1,
        "gpu": None,
        "local_rank": None,
        "stream": "kernel",
        "dialect": "plain",
    }
    Event.objects.create(
        organization=owner,
        stream=stream,
        cluster=cast.cluster,
        fingerprint=b"e" * 16,
        signature="xid",
        role="initiating",
        severity="fatal",
        layer="gpu",
        at=at,
        received_at=make.AT,
        order_key=1,
        host="gpu001",
        body=body,
    )
    VoiceExtent.objects.create(
        organization=owner,
        stream=stream,
        host="gpu001",
        line_count=1,
        body={
            **dict.fromkeys(("first_at", "last_at"), at.isoformat()),
            **dict.fromkeys(("first_local_at", "last_local_at"), None),
            "last_number": 1,
            "stream": "kernel",
        },
    )
    TouchedWindow.objects.create(
        organization=owner,
        cluster=cast.cluster,
        host="gpu001",
        starts_at=at,
        ends_at=at,
        is_telling=True,
        created_at=make.AT,
    )


def test_everybody_reads_on(poisoned: Cast) -> None:
    for owner in (poisoned.tenant, poisoned.operator):
        person, machine = member(owner, MemberRole.ADMIN), token(owner)
        person.client.cookies["zone"] = "Pacific%2FKiritimati"
        listed = machine.get("incidents/").json()["results"]
        assert len(listed) == 2
        paths = [*PLACES[:4], *(f"incidents/{row['id']}/" for row in listed)]
        paths += [f"incidents/{row['id']}/{part}" for row in listed for part in ("timeline/",)]
        sessions = machine.get("sessions/").json()["results"]
        paths += [f"sessions/{row['id']}/" for row in sessions]
        for path in paths:
            answer = machine.client.get(f"/api/v1/o/{owner.slug}/{path}")
            assert answer.status_code == 200, path
        pages = [*(f"incidents/{row['id']}/" for row in listed), "", "sessions/", "incidents/"]
        pages += [f"sessions/{row['id']}/" for row in sessions]
        for path in pages:
            answer = person.client.get(f"/o/{owner.slug}/{path}")
            assert answer.status_code == 200, path


def test_every_attempt_is_diagnosed(poisoned: Cast) -> None:
    for owner in (poisoned.operator, poisoned.tenant):
        correlating.map_windows(organization_id=owner.pk)
    with organization_scope(poisoned.tenant.pk):
        attempts = list(Attempt.objects.values_list("pk", flat=True))
        for attempt_id in attempts:
            Correlation.objects.get_or_create(
                organization=poisoned.tenant,
                attempt_id=attempt_id,
                defaults={"due_at": make.AT, "touched_at": make.AT},
            )
    for attempt_id in attempts:
        correlating.correlate(organization_id=poisoned.tenant.pk, attempt_id=attempt_id)

    with organization_scope(*poisoned.ids):
        assert list(FailedWork.objects.values_list("kind", "error")) == []
