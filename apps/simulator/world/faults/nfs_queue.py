"""A checkpoint of many nodes fills the clients' RPC queues until the collective times out.

Every session that writes to the same server at that time stops with it.
"""

from apps.simulator.world.cascade import (
    kernel_lines,
    launchers_give_up,
    scheduler_ends,
    waited_in_vain,
)
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.log_templates import kernel, vendors
from apps.simulator.world.machines.cluster import FILE_SERVER, MOUNTS
from apps.simulator.world.story import (
    Culprit,
    Effect,
    FaultOutcome,
    FaultScene,
    PrintedLine,
    SimulatedAttempt,
    Truth,
    Weight,
)

_TIMEOUT_SECONDS = 600


def _strike(scene: FaultScene) -> FaultOutcome:
    attempts = (scene.attempt, *scene.companions)
    waits_from = scene.at + 8.0
    given_up = waits_from + _TIMEOUT_SECONDS
    stuck = {a.key: _stuck(scene, a) for a in attempts}
    lines: list[PrintedLine] = _server(scene, given_up)
    ended: dict[str, float] = {}
    for attempt in attempts:
        lines += _session(scene, attempt, waits_from, stuck[attempt.key])
        ended[attempt.key] = given_up + scene.dice.between(f"end/{attempt.key}", 42.0, 60.0)
        lines += scheduler_ends(scene=scene, attempt=attempt, at=ended[attempt.key], state="failed")
    more, effects = add(scene=scene, names=("old-xid", "mlx5-noise", "late-aer", "corrected-bits"))
    hosts = [host for attempt in attempts for host in attempt.hosts]
    effects += [
        effect for host in hosts for effect in _client_effects(scene, host, given_up)
    ] + _server_effects(scene, given_up)
    return FaultOutcome(
        truth=Truth(
            scenario="nfs-queue",
            kind="checkpoint-slow",
            attempts=attempts,
            layer="storage",
            cause="checkpoint-slow",
            culprits=(
                Culprit(kind="server", name=FILE_SERVER),
                Culprit(kind="mount", name=MOUNTS[0][0]),
            ),
            has_incident=True,
            status="likely",
            parties=scene.parties("strata", *(a.organization for a in scene.companions)),
            failed_at=scene.at,
            newest_evidence_at=max(ended.values()),
        ),
        lines=tuple(lines + more),
        effects=tuple(effects),
        halts={attempt.key: scene.at for attempt in attempts},
        final_saves={attempt.key: scene.at for attempt in attempts},
        ended_at=ended,
        exit_codes={attempt.key: {0: -6} for attempt in attempts},
    )


def _stuck(scene: FaultScene, attempt: SimulatedAttempt) -> list[int]:
    """A writer on each of some hosts that never comes back from its write."""
    count = max(1, len(attempt.hosts) // 5)
    hosts = scene.dice.sample(f"stuck/{attempt.key}", attempt.hosts, count)
    return [attempt.ranks_on(host)[0] for host in hosts]


def _session(
    scene: FaultScene, attempt: SimulatedAttempt, since: float, stuck: list[int]
) -> list[PrintedLine]:
    lines: list[PrintedLine] = []
    for rank in stuck:
        host = attempt.host(rank)
        if host == scene.silent_host:
            continue
        at = since + 122.0 + scene.dice.between(f"hung/{host}", 0.0, 60.0)
        texts = kernel.hung_in_nfs(comm="pt_main_thread", pid=attempt.host_pid(rank), seconds=122)
        lines += kernel_lines(host=host, at=at, texts=texts)
    share = 0.35 if attempt.world_size > 100 else 0.9
    lines += waited_in_vain(
        scene=scene,
        attempt=attempt,
        since=since,
        silent=set(stuck),
        share=share,
        op="ALLGATHER",
        numel=1,
        timeout_seconds=_TIMEOUT_SECONDS,
    )
    speaker = next(r for r in range(attempt.world_size) if r not in stuck)
    lines += launchers_give_up(
        scene=scene,
        attempt=attempt,
        first=speaker,
        code=-6,
        at=since + _TIMEOUT_SECONDS + 4.0,
        node_share=0.15,
    )
    return lines


def _server(scene: FaultScene, until: float) -> list[PrintedLine]:
    """The file server says that it is busy, not that it is broken."""
    lines = []
    at = scene.at + 25.0
    while at < until:
        depth = scene.dice.integer(f"depth/{at:.0f}", 3800, 4096)
        text = (
            f"rpc service queue depth {depth}/4096, clients waiting "
            f"{scene.dice.integer(f'c/{at:.0f}', 55, 62)}, "
            f"write latency p99 {scene.dice.between(f'l/{at:.0f}', 2.1, 4.8):.2f}s"
        )
        lines.append(
            PrintedLine(
                at=at,
                stream="storage",
                host=FILE_SERVER,
                text=vendors.storage(at=at, level="WARN", text=text),
                weight=Weight.FAULT,
            )
        )
        at += 60.0
    return lines


def _client_effects(scene: FaultScene, host: str, until: float) -> list[Effect]:
    writes = {"operation": "WRITE", "export": f"{FILE_SERVER}:{MOUNTS[0][1]}"}
    export = {"export": f"{FILE_SERVER}:{MOUNTS[0][1]}"}
    window = until - scene.at
    table: tuple[tuple[str, str, float, dict[str, str]], ...] = (
        (
            "node_mountstats_nfs_operations_queue_time_seconds_total",
            "ramp",
            window * 250.0,
            writes,
        ),
        (
            "node_mountstats_nfs_operations_request_time_seconds_total",
            "ramp",
            window * 312.0,
            writes,
        ),
        (
            "node_mountstats_nfs_operations_response_time_seconds_total",
            "ramp",
            window * 60.0,
            writes,
        ),
        ("node_mountstats_nfs_operations_requests_total", "ramp", window * 48.0, writes),
        ("node_mountstats_nfs_transport_backlog_queue_total", "ramp", window * 900.0, export),
        ("node_mountstats_nfs_transport_sends_total", "ramp", window * 48.0, export),
        ("node_procs_blocked", "add", 9.0, {}),
        ("node_load1", "add", 24.0, {}),
        ("node_pressure_io_waiting_seconds_total", "ramp", window * 0.8, {}),
        ("node_memory_Writeback_bytes", "add", 9.0e9, {}),
        ("node_memory_Dirty_bytes", "add", 2.4e10, {}),
    )
    return [
        Effect(
            metric=metric,
            host=host,
            how=how,
            starts_at=scene.at,
            ends_at=until,
            amount=amount,
            match=match,
        )
        for metric, how, amount, match in table
    ]


def _server_effects(scene: FaultScene, until: float) -> list[Effect]:
    window = until - scene.at
    table = (
        ("vast_cnode_metrics_SchedulerMetrics_queue_latency_ns_fiber_avg", "add", 2.6e9),
        ("vast_cnode_metrics_NfsMetrics_nfs_write_latency_sum", "ramp", window * 4.0e9),
        ("vast_cnode_metrics_ProtoMetrics_write_latency_sum", "ramp", window * 4.0e9),
    )
    return [
        Effect(
            metric=metric,
            host=FILE_SERVER,
            how=how,
            starts_at=scene.at,
            ends_at=until,
            amount=amount,
        )
        for metric, how, amount in table
    ]


NFS_QUEUE = SimulatedFault(name="nfs-queue", strike=_strike)
