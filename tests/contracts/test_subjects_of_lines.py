"""What a line speaks of is what it tells, whatever stream its sender put it in."""

from datetime import timedelta

import pytest

from apps.diagnosis.model import Layer, Stream
from apps.fleet.authority.rules import PARTS, TABLE, SenderStanding, Subject
from apps.fleet.models import Attempt, ParticipationRole
from apps.incidents.models import EvidenceItem, Incident
from apps.telemetry.attempts.line_subjects import subjects_of
from apps.telemetry.attempts.readings import readings_of_attempt
from apps.tenancy.scope import organization_scope
from tests.cast.parties import World, build, send, settle
from tests.contracts.forgery_scene import AT, BEGAN, NCCL, XID
from tests.contracts.line_stories import _told, story

LINK = f"{AT - timedelta(seconds=20):%Y-%m-%dT%H:%M:%S}+00:00 {{host}} kernel: "
LINK += "mlx5_core 0000:98:00.0 eth2np0: Link down"
LAGGING = " - To our best knowledge, ranks [1] are the lagging ranks that caused this timeout. "
LAGGING += "They never joined any collectives"
OWN_LAYER = {Stream.STORAGE: Layer.STORAGE, Stream.FABRIC: Layer.NETWORK}


def may(part: ParticipationRole, subjects: set[Subject]) -> bool:
    """Say whether a part's word of all of these counts for others."""
    return all(TABLE[each][part].others is SenderStanding.ASSERTED for each in subjects)


@pytest.mark.parametrize("stream", list(Stream))
def test_no_stream_carries_what_its_sender_does_not_run(stream: Stream) -> None:
    wrong: list[tuple[Stream, Layer, ParticipationRole]] = []
    for layer in Layer:
        said = subjects_of(stream=stream, line=None, layer=layer)
        for part in PARTS:
            if part in {ParticipationRole.NETWORK_VENDOR, ParticipationRole.STORAGE_VENDOR}:
                speaks = {
                    ParticipationRole.NETWORK_VENDOR: Layer.NETWORK,
                    ParticipationRole.STORAGE_VENDOR: Layer.STORAGE,
                }
                if may(part, said) and layer is not speaks[part]:
                    wrong.append((stream, layer, part))
                if OWN_LAYER.get(stream) is layer is speaks[part] and not may(part, said):
                    wrong.append((stream, layer, part))
            elif part is ParticipationRole.OPERATOR and not may(part, said):
                wrong.append((stream, layer, part))
    assert wrong == []


@pytest.mark.parametrize("signature", ["nvrm-xid-79", "mlx5-link", "oom-invoked"])
@pytest.mark.parametrize("stream", [Stream.SESSION, Stream.SCHEDULER, ""])
def test_what_a_kernel_prints_is_a_hosts_wherever_it_stands(stream: str, signature: str) -> None:
    said = subjects_of(stream=stream, line=None, layer="gpu", signature=signature)
    assert Subject.HOST in said
    assert not may(ParticipationRole.PLATFORM, said)
    assert not may(ParticipationRole.TENANT, said)


def _incident(world: World) -> Incident:
    with organization_scope(*world.ids):
        return Incident.objects.get(organization=world.victim)


def _told_events(world: World) -> set[tuple[str, str]]:
    """Return (host, signature) of what counts for the victim's attempt."""
    with organization_scope(*world.ids):
        attempt = Attempt.objects.select_related("session__cluster").get()
        found = readings_of_attempt(attempt=attempt).readings
        return {(e.line.host or "", e.signature) for each in found for e in each.events}


@pytest.mark.django_db
def test_no_vendor_and_no_platform_tells_of_a_gpu_in_a_stream_of_its_own() -> None:
    world = story()
    for who, labels in (
        ("storage_vendor", {"stream": "storage", "host": "gpu001"}),
        ("network_vendor", {"stream": "fabric", "host": "gpu001"}),
        ("platform", {"stream": "scheduler", "host": "gpu001"}),
        ("platform", {"stream": "session", "session": "job-1", "host": "gpu001"}),
    ):
        assert send(world, who, "/api/v1/logs", XID, **labels).status_code == 200
    settle(world)
    assert "nvrm-xid-79" not in {signature for _, signature in _told_events(world)}
    assert _incident(world).cause != "gpu-off-bus"


@pytest.mark.django_db
def test_a_fabrics_line_about_a_node_speaks_for_the_sessions_on_that_node() -> None:
    world = story()
    gpus = [{"kind": "gpu", "index": 0}]
    nodes = [
        {"name": "gpu001", "devices": gpus},
        {"name": "gpu009", "aliases": ["10.0.0.9"], "devices": gpus},
        {"name": "sw-7"},
    ]
    links = [
        {"a": {"host": "gpu001", "device": "mlx5_0"}, "b": {"switch": "leaf-3", "port": "1"}},
        {"a": {"host": "gpu009", "device": "mlx5_0"}, "b": {"switch": "leaf-4", "port": "1"}},
    ]
    said = {"nodes": nodes, "links": links}
    assert send(world, "operator", "/api/v1/inventory", said).status_code == 200
    for host in ("gpu001", "gpu009", "10.0.0.9", "leaf-3", "leaf-4", "sw-7", "leaf-9"):
        line = LINK.format(host=host)
        answer = send(world, "network_vendor", "/api/v1/logs", line, stream="fabric")
        assert answer.status_code == 200
    send(world, "operator", "/api/v1/logs", LINK.format(host="leaf-8"), stream="fabric")
    settle(world)
    told = {host for host, signature in _told_events(world) if signature == "mlx5-link"}
    # What no inventory places, the operator's word alone does.
    assert told == {"gpu001", "leaf-3", "leaf-8"}


@pytest.mark.django_db
@pytest.mark.parametrize(("host", "counts"), [("gpu001", True), ("gpu009", False)])
def test_a_kernel_line_in_a_sessions_own_log_is_a_claim_about_its_own_hosts_alone(
    host: str, *, counts: bool
) -> None:
    world = story()
    line = XID.replace("gpu001", host)
    send(world, "victim", "/api/v1/logs", line, session="job-1", rank="0", stream="session")
    settle(world)
    found = _incident(world)
    assert (found.cause == "gpu-off-bus") == counts
    with organization_scope(*world.ids):
        xids = EvidenceItem.objects.filter(incident=found, text__contains="Xid")
        assert {item.is_claimed for item in xids} == ({True} if counts else set())


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["storage_vendor", "network_vendor"])
def test_no_vendor_tells_that_anothers_session_went_on_or_who_kept_it_waiting(who: str) -> None:
    world = build()
    _told(world, state="running", at=BEGAN, hosts=["gpu001"])
    send(world, "victim", "/api/v1/logs", NCCL, session="job-1", rank="0")
    settle(world)
    before = _incident(world)
    stream = {"storage_vendor": "storage", "network_vendor": "fabric"}[who]
    for seconds, text in (
        (-5, LAGGING),
        (60, "INFO train: step 500/600 loss 0.3 lr 1.0e-02"),
        (120, "[INFO] [launch.py:351:main] Process 4021 exits successfully."),
        (130, "{'train_runtime': 910.2, 'train_samples_per_second': 1.1}"),
    ):
        line = f"{AT + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S}+00:00 {text}"
        for labels in ({}, {"host": "gpu001", "rank": "0"}):
            answer = send(world, who, "/api/v1/logs", line, stream=stream, **labels)
            assert answer.status_code == 200
    settle(world)

    after = _incident(world)
    assert after.status == "open"
    for name in ("layer", "cause", "phase", "end_state", "started_at", "first_stopper", "restart"):
        assert getattr(after, name) == getattr(before, name)
    with organization_scope(*world.ids):
        attempt = Attempt.objects.select_related("session__cluster").get()
        found = readings_of_attempt(attempt=attempt).readings
    assert [each.progress for each in found if each.origin.stream == stream] == [(), ()]


@pytest.mark.django_db
def test_who_asserts_sessions_tells_of_them_in_any_stream() -> None:
    world = story()
    line = f"{AT:%Y-%m-%dT%H:%M:%S}+00:00 {LAGGING}"
    assert send(world, "operator", "/api/v1/logs", line, stream="storage").status_code == 200
    settle(world)
    assert "pg-desync-missing" in {signature for _, signature in _told_events(world)}
