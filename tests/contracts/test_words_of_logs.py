"""What a session's log says of a part that others use, too, is its tenant's word."""

import pytest

from apps.incidents.models import EvidenceItem, IncidentSession
from apps.tenancy.scope import organization_scope
from tests.cast.parties import build, send, settle
from tests.contracts.forgery_scene import AT, BEGAN, nfs, shared, two_sessions_on_one_server

pytestmark = [pytest.mark.django_db, pytest.mark.sweep]
IO_ERROR = "OSError: [Errno 5] Input/output error: '/data/shard-7.tar'"


@pytest.mark.parametrize("who", ["tenant", "platform"])
@pytest.mark.parametrize(
    "said",
    [
        IO_ERROR,
        "OSError: [Errno 116] Stale file handle: '/data/shard-7.tar'",
        "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "NCCL WARN socketProgress: Connection closed by remote peer gpu001<41842>",
    ],
)
def test_what_a_sessions_log_says_of_a_shared_part_weighs_nothing_where_others_read(
    who: str, said: str
) -> None:
    world = build()
    two_sessions_on_one_server(world)
    before = shared(world)
    line = f"{AT:%Y-%m-%dT%H:%M:%S}+00:00 [rank0]: {said}"
    send(world, who, "/api/v1/logs", line, session="job-2", rank="0", stream="session")
    settle(world)

    after = shared(world)
    assert (after.cause, after.verdict_status) == (before.cause, before.verdict_status)
    assert after.probability == before.probability
    with organization_scope(*world.ids):
        told = EvidenceItem.objects.filter(incident=after)
        assert not told.filter(text__contains=said.partition(":")[0]).exists()
        assert {item.organization_id for item in told if item.weight > 0} == {
            world.parties["operator"].pk
        }


def test_a_session_that_dies_of_a_shared_part_is_told_of_it_by_its_own_log_too() -> None:
    world = build()
    two_sessions_on_one_server(world)
    event = {"session": "job-3", "scheduler": "slurm", "project": "lunar", "hosts": ["gpu003"]}
    send(world, "platform", "/api/v1/session-events", {**event, "state": "running", "at": BEGAN})
    line = f"{AT:%Y-%m-%dT%H:%M:%S}+00:00 [rank0]: {IO_ERROR}"
    send(world, "tenant", "/api/v1/logs", line, session="job-3", rank="0")
    send(world, "operator", "/api/v1/logs", nfs("gpu003"), stream="kernel", host="gpu003")
    settle(world)

    with organization_scope(*world.ids):
        (hit,) = IncidentSession.objects.filter(attempt__session__name="job-3")
    assert hit.incident_id == shared(world).pk
