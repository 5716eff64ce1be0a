"""Saves of 60 nodes to one file server, and what may hold them up, with the true answer.

Five kinds: `slots` (the clients' RPC slots are full while the server answers as ever), `server`
(the server is slow), `network` (the way there loses packets), `healthy` (a big save that is just
big) and `lone` (one node alone is slow). Series are mountstats per operation and mount, the file
server's own figures, and the nodes'. A pure function of kind and seed; all of it is simulated.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from apps.simulator.census.queues import SLOTS, WRITE_BYTES, Demand, Flow, Wide, play

KINDS = ("slots", "server", "network", "healthy", "lone")
CLIENTS = 60
CNODES = 16
STEP = 30.0
SECONDS = 3 * 3600
EXPORTS = ("/meridian/ckpt", "/meridian/data")
SERVER = "strata-nas1"
START = 1767571200.0
_OPERATION = "node_mountstats_nfs_operations_{}_total"
_SIZES = {  # bytes out and in of one request
    "WRITE": (float(WRITE_BYTES), 150.0),
    "COMMIT": (200.0, 150.0),
    "GETATTR": (180.0, 240.0),
    "READ": (180.0, float(WRITE_BYTES)),
}
_TRANSPORT = "node_mountstats_nfs_transport_{}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lines:
    """All series of one metric: one row per set of labels."""

    metric: str
    kind: str  # gauge or counter
    labels: tuple[Mapping[str, str], ...]
    values: Wide  # (series, steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was really the matter."""

    is_fault: bool
    layer: str | None
    culprit: tuple[str, str] | None  # kind and name: mount, server, link or node
    starts_at: float | None
    ends_at: float | None
    wording: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Storage:
    """Three hours of one kind of trouble, or of none."""

    kind: str
    seed: int
    start: float
    step: float
    hosts: tuple[str, ...]
    lines: tuple[Lines, ...]
    answer: Answer
    simulated: bool = True


def scenes(*, seed: int) -> Iterator[Storage]:
    """Yield one scene of each kind."""
    return (scene(kind=kind, seed=seed) for kind in KINDS)


def scene(*, kind: str, seed: int) -> Storage:
    """Return one scene."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r}: there are {', '.join(KINDS)}")
    return _Scene(kind=kind, seed=seed).told()


class _Scene:
    """Draws a scene, plays its queues and writes its series."""

    def __init__(self, *, kind: str, seed: int) -> None:
        self.kind = kind
        self.seed = seed
        self.rng = np.random.default_rng([seed, KINDS.index(kind), 201])
        self.hosts = tuple(f"gpu{number:03d}" for number in range(1, CLIENTS + 1))
        self.usual = float(self.rng.uniform(0.05, 0.11))  # seconds of a 1 MiB write in a save
        self.onset = int(self.rng.uniform(95, 125) * 60)
        self.until = int(self.onset + self.rng.uniform(20, 45) * 60)
        self.victim = int(self.rng.integers(CLIENTS))
        self.severity = float(self.rng.uniform(0.7, 1.4))

    def told(self) -> Storage:
        flow = play(self._demand())
        self.ended = self._end(flow)
        lines = [*self._client(flow), *self._nodes(flow), *self._server(flow)]
        return Storage(
            kind=self.kind,
            seed=self.seed,
            start=START,
            step=STEP,
            hosts=self.hosts,
            lines=tuple(lines),
            answer=self._answer(),
        )

    def _end(self, flow: Flow) -> int:
        """Return the second at which the trouble is over: of `slots`, when the queues are empty."""
        if self.kind != "slots":
            return self.until
        return int(np.flatnonzero((flow.backlog > SLOTS).sum(axis=0) > CLIENTS / 4)[-1])

    def _demand(self) -> Demand:
        """Two usual saves, then the one that matters; how much each may take is drawn."""
        rng = self.rng
        capacity = SLOTS * WRITE_BYTES / self.usual
        saves = np.zeros(SECONDS)
        begins = (int(rng.uniform(10, 20) * 60), int(rng.uniform(52, 65) * 60), self.onset)
        for number, at in enumerate(begins):
            saves[at : at + 60 * 60 if number == 2 else at + 25 * 60] = number + 1
        share = rng.uniform(0.5, 0.7)
        offered = np.full((CLIENTS, SECONDS), share * capacity)
        offered *= rng.uniform(0.95, 1.05, CLIENTS)[:, None]
        late = np.arange(SECONDS) >= self.onset
        last = {"slots": rng.uniform(1.8, 3.0) * self.severity, "healthy": rng.uniform(0.5, 0.62)}
        offered[:, late] *= last.get(self.kind, share) / share
        offered *= self._flushes()
        wobble = 1 + 0.1 * rng.standard_normal((CLIENTS, SECONDS // 10)).repeat(10, axis=1)
        service = self.usual * np.clip(wobble, 0.5, 2) * self._slowness()
        goal = np.full(CLIENTS, share * capacity * rng.uniform(200, 330))
        larger = {"slots": rng.uniform(4, 7), "healthy": rng.uniform(3, 5)}.get(self.kind, 1.0)
        return Demand(
            offered=offered,
            goal=goal,
            larger=larger,
            saves=saves,
            service=service,
            slots=np.full(CLIENTS, float(SLOTS)),
            limit=float(rng.uniform(1000, 2400)),
            lost=self._lost(),
        )

    def _flushes(self) -> Wide:
        """Return how unevenly a client writes back: spells of a few seconds, seldom in step."""
        spells = self.rng.gamma(9, 1 / 9, (CLIENTS, SECONDS // 4)).repeat(4, axis=1)
        return np.asarray(spells)

    def _troubled(self) -> Wide:
        """Return (seconds,) how much of the trouble there is: 0 before, 1 at its worst."""
        at = np.arange(SECONDS, dtype=np.float64)
        rise = np.clip((at - self.onset) / self.rng.uniform(20, 240), 0, 1)
        fall = np.clip((self.until - at) / 120.0, 0, 1)
        return np.minimum(rise, fall)

    def _slowness(self) -> Wide:
        """Return by how much an answer takes longer than usual, as the client sees it."""
        grown = np.zeros((CLIENTS, SECONDS))
        self.trouble = self._troubled()
        if self.kind == "server":
            grown[:] = self.severity * 6.0 * self.trouble
        if self.kind == "network":
            grown[:] = self.severity * 2.0 * self.trouble
            grown *= self.rng.uniform(0.6, 1.4, CLIENTS)[:, None]
        if self.kind == "lone":
            grown[self.victim] = self.severity * 7.0 * self.trouble
        return 1 + grown

    def _lost(self) -> Wide:
        lost = np.full((CLIENTS, SECONDS), 1e-5)
        if self.kind == "network":
            lost += 0.06 * self.severity * self.trouble
        if self.kind == "lone":
            lost[self.victim] += 0.01 * self.severity * self.trouble
        return lost

    def _answer(self) -> Answer:
        culprits = {
            "slots": ("storage", ("mount", EXPORTS[0])),
            "server": ("storage", ("server", SERVER)),
            "network": ("network", ("link", SERVER)),
            "lone": ("host", ("node", self.hosts[self.victim])),
        }
        wordings = {
            "slots": "consistent with full RPC slots of the clients; the server answers as ever",
            "server": "the server itself answers slowly; the clients queue because of it",
            "network": "requests are sent again on the way to the server; the server is quick",
            "healthy": "a larger save than usual, and nothing else",
            "lone": "one client is slow; all others and the server are as ever",
        }
        layer, culprit = culprits.get(self.kind, (None, None))
        is_fault = self.kind != "healthy"
        return Answer(
            is_fault=is_fault,
            layer=layer,
            culprit=culprit,
            starts_at=START + self.onset if is_fault else None,
            ends_at=START + self.ended if is_fault else None,
            wording=wordings[self.kind],
        )

    def _client(self, flow: Flow) -> Iterator[Lines]:
        """Write what mountstats counts: two mounts a node, operations by label."""
        lookups = 12 + 10 * flow.writing + self.rng.gamma(4, 1, flow.done.shape)
        metadata = 0.004 * (0.4 + 0.6 * flow.served / np.maximum(flow.done * self.usual, 1e-9))
        reads = (
            np.full(flow.done.shape, 40.0) * (1 + 0.2 * self.rng.standard_normal(CLIENTS))[:, None]
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
        labels = tuple(self._mount(host, EXPORTS[0], {"transport": "0"}) for host in self.hosts)
        for part, rate in totals.items():
            yield _counter(_TRANSPORT.format(part), labels, rate)
        slots = np.full((CLIENTS, int(SECONDS / STEP)), float(SLOTS))
        yield Lines(
            metric=_TRANSPORT.format("maximum_rpc_slots"), kind="gauge", labels=labels, values=slots
        )

    def _operation(
        self, operation: str, times: tuple[Wide, Wide, Wide, Wide], sizes: tuple[float, float]
    ) -> Iterator[Lines]:
        done, sent, waited, served = times
        export = EXPORTS[1] if operation == "READ" else EXPORTS[0]
        labels = tuple(self._mount(h, export, {"operation": operation}) for h in self.hosts)
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

    def _nodes(self, flow: Flow) -> Iterator[Lines]:
        """Write what the nodes themselves show while they write."""
        labels = tuple({"instance": host, "simulated": "true"} for host in self.hosts)
        repeated = flow.sent - flow.done
        port = tuple({**each, "device": "mlx5_8", "port": "1"} for each in labels)
        yield _counter("node_netstat_Tcp_RetransSegs", labels, 0.05 + 9.0 * repeated)
        lossy = repeated if self.kind in {"network", "lone"} else 0.0 * repeated
        yield _counter(
            "node_infiniband_out_of_sequence_packets_received_total", port, 0.001 + 3 * lossy
        )
        yield _counter("node_infiniband_local_ack_timeout_errors_total", port, 1e-5 + 0.05 * lossy)
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

    def _server(self, flow: Flow) -> Iterator[Lines]:
        """Write what the file server counts, spread over its nodes."""
        labels = tuple(
            {"cluster": SERVER, "hostname": f"cnode-{n:02d}", "simulated": "true"}
            for n in range(1, CNODES + 1)
        )
        spread = self.rng.dirichlet(np.full(CNODES, 60.0))[:, None]
        done = flow.done.sum(axis=0)[None, :] * spread
        inside = self.usual * 0.8 * np.ones(SECONDS)
        if self.kind == "server":
            inside = inside * (1 + self.severity * 6.0 * self.trouble)
        slow = done * inside
        prefix = "vast_cnode_metrics_"
        yield _counter(prefix + "ProtoMetrics_write_latency_count", labels, done)
        yield _counter(prefix + "ProtoMetrics_write_latency_sum", labels, 1e6 * slow)
        yield _counter(prefix + "ProtoMetrics_write_size_sum", labels, done * WRITE_BYTES)
        excess = np.maximum(inside / (self.usual * 0.8) - 1, 0)
        waits = np.broadcast_to(2e5 + 4e7 * excess, done.shape)
        yield _gauge(prefix + "SchedulerMetrics_queue_latency_ns_fiber_avg", labels, waits)
        stress = (done.sum(axis=0) * excess * 50.0)[None, :]
        cluster = ({"cluster": SERVER, "simulated": "true"},)
        yield _counter(
            "vast_cluster_metrics_IngestMetrics_stress_sleep_length_sum", cluster, stress
        )


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
