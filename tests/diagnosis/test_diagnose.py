"""The chain as a whole, over hand-made events: what it concludes, and when it must not."""

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    Anomaly,
    Coverage,
    CoverageState,
    Device,
    EndState,
    Event,
    FirstStopBy,
    Layer,
    Placement,
    Role,
    SessionFacts,
    Stream,
    Topology,
    VerdictStatus,
)
from tests.diagnosis.events import NOON, after, event, readings, watchdog, xid
from tests.scenarios.verdicts import reason_of

GENERIC = (
    "pg-watchdog-timeout",
    "pg-ops-failed",
    "nccl-socket-closed",
    "pg-nccl-interpret",
    "nccl-result-remote",
    "pg-remote-error",
)


def _waiting(count: int, *, silent: int | None = None) -> list[Event]:
    return [
        watchdog(rank, at=after(600), host=f"n{rank // 8 + 1}")
        for rank in range(count)
        if rank != silent
    ]


@given(
    signatures=st.lists(st.sampled_from(GENERIC), min_size=1, max_size=12),
    seconds=st.integers(0, 600),
)
@settings(max_examples=40, deadline=None)
def test_from_generic_nccl_text_alone_it_is_unknown(signatures: list[str], seconds: int) -> None:
    told = [
        event(name, at=after(seconds), rank=rank, number=rank + 1)
        for rank, name in enumerate(signatures)
    ]
    verdict = diagnose(readings=readings(told)).verdict
    assert (verdict.status, verdict.layer) == (VerdictStatus.UNKNOWN, Layer.UNKNOWN)


def test_an_unknown_names_what_is_missing_and_who_holds_it() -> None:
    diagnosis = diagnose(readings=readings(_waiting(16)))
    missing = {one.source: one.held_by for h in diagnosis.hypotheses for one in h.missing}
    assert missing["kernel-log"] == "operator"
    assert missing["scheduler-log"] == "platform"


def test_a_lost_gpu_at_the_time_is_likely_and_its_host_is_left_out() -> None:
    diagnosis = diagnose(readings=readings([xid(79), *_waiting(32, silent=3)]))
    assert diagnosis.verdict.status is VerdictStatus.LIKELY
    assert diagnosis.verdict.cause == "gpu-off-bus"
    assert diagnosis.restart.exclude_hosts == ("n1",)


def test_the_failure_began_when_the_wait_began_not_when_it_was_printed() -> None:
    assert diagnose(readings=readings(_waiting(16))).failed_at == NOON


def test_an_old_xid_is_kept_visible_but_not_blamed() -> None:
    diagnosis = diagnose(readings=readings([xid(79, at=after(-7200), host="n2"), *_waiting(16)]))
    assert diagnosis.verdict.status is VerdictStatus.UNKNOWN
    assert any("before the failure" in reason_of(h) for h in diagnosis.hypotheses)


def test_a_fault_on_a_host_outside_the_topology_is_not_joined() -> None:
    topology = Topology(hosts=("n1", "n2"))
    told = readings([xid(79, host="n9"), *_waiting(16)])
    assert diagnose(readings=told, topology=topology).verdict.status is VerdictStatus.UNKNOWN


def test_the_rank_missing_from_the_watchdogs_stopped_first() -> None:
    first = diagnose(
        readings=readings(_waiting(16, silent=5)), facts=SessionFacts(world_size=16)
    ).first_stopper
    assert first is not None
    assert (first.ranks, first.by) == ((5,), FirstStopBy.SILENCE)


def test_a_walltime_end_is_no_failure() -> None:
    facts = SessionFacts(state=EndState.WALLTIME, ended_at=NOON)
    diagnosis = diagnose(
        readings=readings([event("torchrun-closing", at=NOON, role=Role.TEARDOWN)]), facts=facts
    )
    assert diagnosis.verdict.status is VerdictStatus.NO_FAILURE
    assert diagnosis.end_state is EndState.WALLTIME


def test_a_gpu_lost_before_a_person_cancelled_the_hung_job_is_still_a_failure() -> None:
    facts = SessionFacts(state=EndState.CANCELLED, ended_at=after(900))
    verdict = diagnose(readings=readings([xid(79), *_waiting(16, silent=1)]), facts=facts).verdict
    assert verdict.cause == "gpu-off-bus"


def test_evidence_elsewhere_does_not_speak_for_the_silent_host_whose_kernel_log_is_missing() -> (
    None
):
    closed = [
        event("nccl-socket-closed", at=after(2), host=host, rank=rank, peer="n2")
        for rank, host in ((0, "n1"), (16, "n3"))
    ]
    decoy = event(
        "soft-lockup",
        at=after(-30),
        host="n1",
        stream=Stream.KERNEL,
        role=Role.CONFIRMATION,
        layer=Layer.HOST,
    )
    other = event(
        "mlx5-cmd-failed", at=after(-60), host="n3", stream=Stream.KERNEL, role=Role.CONTEXT
    )
    diagnosis = diagnose(readings=readings([decoy, other, *closed], hosts=["n2"]))
    assert diagnosis.verdict.status is VerdictStatus.UNKNOWN


def test_throttling_seen_in_metrics_alone_is_a_gpu_cause() -> None:
    throttled = Anomaly(
        kind="throttling",
        signal="gpu.throttled.thermal",
        family="throttle",
        layer=Layer.GPU,
        entity=Device(kind="gpu", host="n1", index=2),
        starts_at=NOON,
        ends_at=NOON + timedelta(minutes=20),
        role=Role.INITIATING,
        causes=("gpu-throttling",),
    )
    verdict = diagnose(readings=(), anomalies=[throttled]).verdict
    assert (verdict.layer, verdict.cause) == (Layer.GPU, "gpu-throttling")
    assert verdict.culprits[0].index == 2


def test_a_culprit_gpu_is_named_by_its_rank_where_the_topology_knows_it() -> None:
    topology = Topology(
        hosts=("n1", "n2"),
        placements=(Placement(rank=3, host="n1", gpu=3, pci="00000000:1B:00.0"),),
    )
    (gpu,) = diagnose(
        readings=readings([xid(79), *_waiting(16, silent=3)]), topology=topology
    ).verdict.culprits
    assert (gpu.rank, gpu.index, gpu.pci) == (3, 3, "0000:1b:00.0")


def test_what_the_caller_knows_of_coverage_wins() -> None:
    hidden = Coverage(source="fabric-log", state=CoverageState.HIDDEN)
    covered = {one.source: one.state for one in diagnose(readings=(), expected=[hidden]).coverage}
    assert covered["fabric-log"] is CoverageState.HIDDEN


def test_nothing_at_all_is_unknown() -> None:
    assert diagnose(readings=()).verdict.status is VerdictStatus.UNKNOWN
