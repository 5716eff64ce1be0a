"""A line of a session's log that names hosts anew moves nothing that others say of them."""

from datetime import timedelta

import pytest

from tests.cast.parties import build, send, settle
from tests.contracts.forgery_scene import AT, BEGAN, XID, died, incident_of

pytestmark = [pytest.mark.django_db, pytest.mark.sweep]


@pytest.mark.parametrize("other", ["gpu002", "gpu077"])  # of the session, and of nobody's
@pytest.mark.parametrize("is_known", [False, True])
def test_a_kernels_line_stays_with_its_host(other: str, is_known: bool) -> None:  # noqa: FBT001
    world = build()
    if is_known:
        nodes = [{"name": name} for name in ("gpu001", "gpu002", "gpu077")]
        send(world, "operator", "/api/v1/inventory", {"nodes": nodes})
    event = {"session": "job-1", "scheduler": "slurm", "project": "solar", "state": "running"}
    placed = {**event, "at": BEGAN, "hosts": ["gpu001", "gpu002"]}
    send(world, "platform", "/api/v1/session-events", placed)
    died(world, "victim", "job-1", host="gpu001")
    stamp = f"{AT - timedelta(minutes=30):%Y-%m-%dT%H:%M:%S}+00:00"
    line = f"{stamp} Successfully assigned ml/gpu001 to {other}"
    send(world, "victim", "/api/v1/logs", line, session="job-1", rank="0", stream="session")
    send(world, "operator", "/api/v1/logs", XID, stream="kernel", host="gpu001")
    settle(world)

    incident = incident_of(world, "victim")
    assert incident.cause == "gpu-off-bus"
    assert {each["host"] for each in incident.culprits} == {"gpu001"}
    assert incident.restart["exclude_hosts"] == ["gpu001"]
