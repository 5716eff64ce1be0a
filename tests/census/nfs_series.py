"""The series of a storage scene: what clients, nodes and the file server count of one flow."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tests.census.queues import SLOTS, WRITE_BYTES, Flow, Wide

CNODES = 16
STEP = 30.0
EXPORTS = ("/meridian/ckpt", "/meridian/data")
SERVER = "strata-nas1"
_OPERATION = "node_mountstats_nfs_operations_{}_total"
_TRANSPORT = "node_mountstats_nfs_transport_{}"
_SIZES = {  # bytes out and in of one request
    "WRITE": (float(WRITE_BYTES), 150.0),
    "COMMIT": (200.0, 150.0),
    "GETATTR": (180.0, 240.0),
    "READ": (180.0, float(WRITE_BYTES)),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lines:
    """All series of one metric: one row per set of labels."""

    metric: str
    kind: str  # gauge or counter
    labels: tuple[Mapping[str, str], ...]
    values: Wide  # (series, steps)


class Mounts:
    """What mountstats of each client counts."""

    def __init__(
        self, *, hosts: tuple[str, ...], usual: float, rng: np.random.Generator, flow: Flow
    ) -> None:
        """Keep the flow, and what an answer takes as a rule."""
        self._hosts = hosts
        self._usual = usual
        self._rng = rng
        self._flow = flow

    def lines(self) -> Iterator[Lines]:
        """Write what mountstats counts: two mounts a node, operations by label."""
        flow = self._flow
        lookups = 12 + 10 * flow.writing + self._rng.gamma(4, 1, flow.done.shape)
        metadata = 0.004 * (0.4 + 0.6 * flow.served / np.maximum(flow.done * self._usual, 1e-9))
        reads = (
            np.full(flow.done.shape, 40.0)
            * (1 + 0.2 * self._rng.standard_normal(len(self._hosts)))[:, None]
        )
        operations = {
            "WRITE": (flow.done, flow.sent, flow.waited, flow.served),
            "COMMIT": (
                0.002 * flow.done,
                0.002 * flow.sent,
                0.0001 * flow.waited,
                0.02 * flow.served,
            ),
            "GETATTR": (lookups, lookups, 2e-5 * lookups, lookups * metadata),
            "READ": (reads, reads, 2e-4 * reads, reads * 0.004),
        }
        for operation, columns in operations.items():
            yield from self._operation(operation, columns, _SIZES[operation])
        totals = {
            "backlog_queue_total": flow.sent * flow.backlog,
            "sending_queue_total": flow.sent * np.minimum(flow.backlog, 20.0),
            "pending_queue_total": flow.sent * flow.busy,
            "sends_total": flow.sent + lookups,
            "receives_total": flow.done + lookups,
        }
        labels = tuple(self._mount(host, EXPORTS[0], {"transport": "0"}) for host in self._hosts)
        for part, rate in totals.items():
            yield _counter(_TRANSPORT.format(part), labels, rate)
        slots = np.full((len(self._hosts), int(flow.done.shape[1] / STEP)), float(SLOTS))
        yield Lines(
            metric=_TRANSPORT.format("maximum_rpc_slots"), kind="gauge", labels=labels, values=slots
        )

    def _operation(
        self, operation: str, times: tuple[Wide, Wide, Wide, Wide], sizes: tuple[float, float]
    ) -> Iterator[Lines]:
        done, sent, waited, served = times
        export = EXPORTS[1] if operation == "READ" else EXPORTS[0]
        labels = tuple(self._mount(h, export, {"operation": operation}) for h in self._hosts)
        timeouts = np.maximum(sent / np.maximum(done, 1e-9) - 1.04, 0.0) * 0.2
        columns = {
            "requests": done,
            "transmissions": sent,
            "major_timeouts": timeouts,
            "queue_time_seconds": waited,
            "response_time_seconds": served,
            "request_time_seconds": waited + served,
            "sent_bytes": sent * sizes[0],
            "received_bytes": done * sizes[1],
        }
        for part, rate in columns.items():
            yield _counter(_OPERATION.format(part), labels, rate)

    def _mount(self, host: str, export: str, more: Mapping[str, str]) -> dict[str, str]:
        return {
            "instance": host,
            "export": f"{SERVER}:{export}",
            "mountaddr": "10.60.0.11",
            "protocol": "tcp",
            **more,
            "simulated": "true",
        }


def nodes(*, hosts: tuple[str, ...], flow: Flow) -> Iterator[Lines]:
    """Write what the nodes themselves show while they write."""
    labels = tuple({"instance": host, "simulated": "true"} for host in hosts)
    repeated = flow.sent - flow.done
    port = tuple({**each, "device": "mlx5_8", "port": "1"} for each in labels)
    yield _counter("node_netstat_Tcp_RetransSegs", labels, 0.05 + 9.0 * repeated)
    yield _counter(
        "node_infiniband_out_of_sequence_packets_received_total", port, 0.001 + 3 * repeated
    )
    yield _counter("node_infiniband_local_ack_timeout_errors_total", port, 1e-5 + 0.05 * repeated)
    yield _counter(
        "node_infiniband_port_data_transmitted_bytes_total", port, flow.sent * WRITE_BYTES
    )
    yield _counter("node_vmstat_pgpgout", labels, 90.0 + 0.1 * flow.done)
    stalled = np.clip(flow.busy / SLOTS, 0, 1) * flow.writing
    yield _counter("node_pressure_io_waiting_seconds_total", labels, 0.002 + 0.8 * stalled)
    yield _counter("node_pressure_io_stalled_seconds_total", labels, 0.001 + 0.6 * stalled)
    yield _gauge("node_procs_blocked", labels, np.rint(12 * stalled))
    yield _gauge("node_memory_Dirty_bytes", labels, 2e7 + flow.backlog * WRITE_BYTES)
    # Ranks wait for the last writer: nobody computes while anybody writes.
    waiting = np.broadcast_to(flow.writing.max(axis=0), flow.writing.shape)
    yield _gauge("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", labels, 0.46 * (1 - 0.9 * waiting))


def server(
    *, flow: Flow, usual: float, slowness: Wide, rng: np.random.Generator
) -> Iterator[Lines]:
    """Write what the file server counts, spread over its nodes; it may be slower than usual."""
    labels = tuple(
        {"cluster": SERVER, "hostname": f"cnode-{n:02d}", "simulated": "true"}
        for n in range(1, CNODES + 1)
    )
    spread = rng.dirichlet(np.full(CNODES, 60.0))[:, None]
    done = flow.done.sum(axis=0)[None, :] * spread
    slow = done * usual * 0.8 * (1 + slowness)
    prefix = "vast_cnode_metrics_"
    yield _counter(prefix + "ProtoMetrics_write_latency_count", labels, done)
    yield _counter(prefix + "ProtoMetrics_write_latency_sum", labels, 1e6 * slow)
    yield _counter(prefix + "ProtoMetrics_write_size_sum", labels, done * WRITE_BYTES)
    waits = np.broadcast_to(2e5 + 4e7 * slowness, done.shape)
    yield _gauge(prefix + "SchedulerMetrics_queue_latency_ns_fiber_avg", labels, waits)
    stress = (done.sum(axis=0) * slowness * 50.0)[None, :]
    cluster = ({"cluster": SERVER, "simulated": "true"},)
    yield _counter("vast_cluster_metrics_IngestMetrics_stress_sleep_length_sum", cluster, stress)


def _counter(metric: str, labels: tuple[Mapping[str, str], ...], rate: Wide) -> Lines:
    """Count a rate per second, and look at it at every step."""
    every = int(STEP)
    counted = np.floor(np.cumsum(rate, axis=1) * 1e6) / 1e6
    return Lines(
        metric=metric, kind="counter", labels=labels, values=counted[:, every - 1 :: every]
    )


def _gauge(metric: str, labels: tuple[Mapping[str, str], ...], level: Wide) -> Lines:
    every = int(STEP)
    return Lines(
        metric=metric, kind="gauge", labels=labels, values=np.array(level[:, every - 1 :: every])
    )
