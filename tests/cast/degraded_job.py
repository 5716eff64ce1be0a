"""A job of 32 GPUs that loses 8 of them to a GPU off its bus, and runs on: logs and events."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import Correlated, correlate_attempt
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in, xid
from tests.cast import make
from tests.cast.pushes import Cast, cast, push_json
from tests.cast.recovery_events import Event, tell
from tests.cast.stopped_session import CRASH

AT = make.AT
SESSION = "run-1"


def at(seconds: float) -> str:
    """Return a time so long after the loss."""
    return (AT + timedelta(seconds=seconds)).isoformat()


def job(
    *, losses: Sequence[float] = (5,), steps_from: float = -600, steps_until: float = 600
) -> list[Event]:
    """Return the events of a job of 16 GPUs that loses 8 of them and takes a step a minute."""
    events: list[Event] = [{"event": "job_began", "at": at(-3600), "replicas": 4, "gpus": 32}]
    for number, seconds in enumerate(losses):
        events.append(
            {
                "event": "replica_lost",
                "at": at(seconds),
                "replica": f"dp{number}",
                "step": 10,
                "gpus": 8,
            }
        )
    seconds, step = steps_from, 1
    while seconds <= steps_until:
        events.append({"event": "step_committed", "at": at(seconds), "step": step})
        seconds, step = seconds + 60, step + 1
    return events


def scene(events: Sequence[Event], *, state: str = "running", crash: Sequence[str] = CRASH) -> Cast:
    """Let a GPU of gpu001 fall off the bus and its ranks fail, and the job tell what it lost."""
    people = cast()
    make.agreed(organization=people.tenant, cluster=people.cluster)
    hosts = ["gpu001", "gpu002", "gpu003", "gpu004"]
    told: dict[str, Any] = {"session": SESSION, "project": "solar", "hosts": hosts}
    begun = told | {"state": "running", "at": at(-3600), "world_size": 32}
    push_json("/api/v1/session-events", people.token(people.platform), begun)
    if state != "running":
        ended = told | {"state": state, "at": at(700)}
        push_json("/api/v1/session-events", people.token(people.platform), ended)
    come_in(people.tenant, people.cluster, list(crash), at=AT, session=SESSION, host="gpu001")
    kernel = [xid(5, AT)]
    come_in(people.operator, people.cluster, kernel, at=AT, stream="kernel", host="gpu001")
    if events:
        assert tell(people, events, session=SESSION).status_code == 200
    return people


def look(people: Cast, now: datetime) -> Correlated:
    """Diagnose the attempt from what is stored."""
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get()
    return correlate_attempt(owner_id=people.tenant.pk, attempt_id=attempt.pk, now=now)


LATER = AT + timedelta(minutes=11)
