"""A server of made-up metrics for benches: as many series as a cluster has, answered from memory.

It answers as Prometheus does, byte by byte in the same shape; `/prepare` writes the answers of a
span beforehand, so that a bench measures the reader. The numbers are random: nobody diagnoses them.
"""

import json
import os
import re
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import numpy as np

from apps.diagnosis.detection.metrics.describe import described
from apps.diagnosis.model import Semantics

NAMES = re.compile(r'__name__=~"([^"]*)"|^([A-Za-z_:][A-Za-z0-9_:]*)')
START, STEP = 1.78e9, 30.0
# Detectors for which any change is a finding.
FACTS = frozenset({"codes", "increase", "limit", "saturation", "throttling", "silence"})
COUNT = re.compile(r"^count by \(__name__\) \((.*)\)$")


class Cluster:
    """The series of some names on some nodes."""

    def __init__(self, *, names: Sequence[tuple[str, int]], nodes: int) -> None:
        self.heads: dict[str, list[str]] = {}
        for spelled, several in names:
            metric = spelled.partition("{")[0]
            self.heads.setdefault(metric, []).extend(_heads(spelled, nodes, several))
        self.names = list(self.heads)
        self.answers: dict[tuple[float, int], dict[str, bytes]] = {}
        self.random = np.random.default_rng(7)
        self.level = {name: 10 ** self.random.uniform(0, 5) for name in self.names}
        self.own = {
            name: self.random.normal(1.0, 0.01, len(heads)) for name, heads in self.heads.items()
        }

    @property
    def series_count(self) -> int:
        """Return how many series there are."""
        return sum(map(len, self.heads.values()))

    def prepare(self, start: float, step: float, count: int) -> None:
        """Write the answers of a span, one name after the other."""
        stamps = [f'[{start + step * column:.0f},"' for column in range(count)]
        at = start + step * np.arange(count)
        self.answers = {
            (start, count): {name: self._written(name, at, stamps) for name in self.names}
        }

    def _written(self, name: str, at: np.ndarray, stamps: Sequence[str]) -> bytes:
        heads = self.heads[name]
        values = self._values(name, at)
        lines = []
        for head, row in zip(heads, values.tolist(), strict=True):
            told = [
                f'{stamp}{value:g}"]' if value % 1 else f'{stamp}{value:.0f}"]'
                for stamp, value in zip(stamps, row, strict=True)
            ]
            lines.append(f'{head}"values":[{",".join(told)}]}}')
        return ",".join(lines).encode()

    def _values(self, name: str, at: np.ndarray) -> np.ndarray:
        """Return healthy values: facts that don't change, counts that grow, levels that waver."""
        signal = described(name).signal
        own, level = self.own[name][:, None], self.level[name]
        if FACTS.intersection(signal.watch):
            return np.zeros((len(own), len(at)))
        if signal.semantics is Semantics.COUNTER:
            phase = self.random.uniform(0, 0.2, (len(own), len(at)))
            return np.floor((at - START + STEP * phase) * level * own)
        wavering = own + self.random.normal(0, 0.01, (len(own), len(at)))
        return np.round(level * wavering, 3)

    def matrix(self, query: str, start: float, count: int) -> bytes:
        """Return the answer to a range query."""
        known = self.answers[start, count]
        parts = [known[name] for name in self.asked(query) if self.heads[name]]
        return (
            b'{"status":"success","data":{"resultType":"matrix","result":['
            + b",".join(parts)
            + b"]}}"
        )

    def asked(self, query: str) -> list[str]:
        """Return the names that a selector means."""
        found = NAMES.search(query)
        wanted = (found[1] or found[2]).replace("\\", "").split("|") if found else []
        return [name for name in wanted if name in self.heads]


def _heads(spelled: str, nodes: int, several: int) -> list[str]:
    """Return how each series of a name begins, as dcgm-exporter or node_exporter label it."""
    told = described(spelled)
    more = "".join(f'"{label}":"{value}",' for label, value in told.labels.items())
    start = f'{{"metric":{{"__name__":"{spelled.partition("{")[0]}",{more}'
    return [
        f"{start}{_labels(told.signal.entity, node, part)}}},"
        for node in range(1, nodes + 1)
        for part in range(several)
    ]


def _labels(kind: str, node: int, part: int) -> str:
    host = f"gpu{node:04}"
    if kind == "gpu":
        return (
            f'"DCGM_FI_DRIVER_VERSION":"580.105.08","Hostname":"{host}","UUID":"GPU-{node:08x}-{part:04x}-4c1e-9a53-8b1f6f0e2d77",'
            f'"cluster":"bench","device":"nvidia{part}","gpu":"{part}","instance":"{host}:9400","job":"dcgm",'
            f'"modelName":"NVIDIA B200","pci_bus_id":"00000000:{part * 17:02X}:00.0"'
        )
    place = {
        "nic": f'"device":"mlx5_{part}","port":"1"',
        "mount": f'"export":"storage{part}:/data","mountaddr":"10.9.0.{part}","protocol":"tcp"',
        "disk": f'"device":"nvme{part}n1"',
    }.get(kind, f'"cpu":"{part}"')
    return f'"cluster":"bench",{place},"instance":"{host}:9100","job":"node"'


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        form = {key: values[0] for key, values in parse_qs(parts.query).items()}
        self._answer(parts.path, form)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(self.path, {key: values[0] for key, values in parse_qs(body.decode()).items()})

    def _answer(self, path: str, form: dict[str, str]) -> None:
        cluster = self.server.cluster
        if path == "/prepare":
            cluster.prepare(float(form["start"]), float(form["step"]), int(form["count"]))
            return self._reply(json.dumps(cluster.series_count).encode())
        if path.endswith("/label/__name__/values"):
            return self._reply(json.dumps({"status": "success", "data": cluster.names}).encode())
        if path.endswith("/query_range"):
            start, end, step = (float(form[key]) for key in ("start", "end", "step"))
            return self._reply(
                cluster.matrix(form["query"], start, round((end - start) / step) + 1)
            )
        counted = COUNT.match(form.get("query", ""))
        result = [
            {"metric": {"__name__": name}, "value": [0, str(len(cluster.heads[name]))]}
            for name in (cluster.asked(counted[1]) if counted else ())
        ]
        data = {"resultType": "vector", "result": result}
        return self._reply(json.dumps({"status": "success", "data": data}).encode())

    def _reply(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Stay quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.cluster = cluster


def main() -> None:
    """Serve what the first line of the input describes; say the port; end with the input."""
    told = json.loads(sys.stdin.readline())
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[-1]})  # the reader has the first one
    server = _Server(Cluster(**told))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    main()
