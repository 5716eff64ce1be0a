"""A tiny server on loopback that speaks as much of the Prometheus HTTP API as a test needs."""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import numpy as np

Sample = Callable[[np.ndarray], np.ndarray]
COUNT = re.compile(r"^count by \((\w+)\) \((.*)\)$")
SELECTOR = re.compile(r"^(\w*)(?:\{(.*)\})?(?:\[(\d+)s\])?$")
LABEL_VALUES = re.compile(r"/label/(\w+)/values$")
MATCHER = re.compile(r'(\w+)(=~|=)"([^"]*)"')


@dataclass(frozen=True)
class Row:
    """One series: labels, and its value as a function of Unix seconds (NaN: no sample)."""

    labels: dict[str, str]
    value: Sample


@dataclass
class World:
    """What a server serves, how it misbehaves, and what it was asked."""

    rows: list[Row] = field(default_factory=list)
    broken: Callable[[BaseHTTPRequestHandler], bool] | None = None
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    hold: threading.Event = field(default_factory=threading.Event)
    # As VictoriaMetrics does: what came within the last seconds is not answered yet.
    held_back_from: float = np.inf

    def add(self, metric: str, value: Sample | float, **labels: str) -> None:
        """Serve one more series."""
        sample = value if callable(value) else (lambda at, level=value: np.full(at.shape, level))
        self.rows.append(Row(labels={"__name__": metric, **labels}, value=sample))


def _select(world: World, query: str) -> tuple[list[Row], float]:
    found = SELECTOR.match(query)
    assert found, f"a query that this server does not know: {query}"
    metric, text, span = found.groups()
    matchers = MATCHER.findall(text or "")
    rows = [row for row in world.rows if metric in {"", row.labels["__name__"]}]
    for label, operator, value in matchers:
        pattern = value.replace("\\\\", "\\") if operator == "=~" else re.escape(value)
        rows = [row for row in rows if re.fullmatch(pattern, row.labels.get(label, ""))]
    return rows, float(span or 0)


def _text(value: float) -> str:
    if np.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(float(value))


def _at_instant(world: World, asked: dict[str, str]) -> dict[str, object] | None:
    if asked["query"] == "vector(time())":
        return _time(world, asked)
    if counted := COUNT.match(asked["query"]):
        label, query = counted.groups()
        return _counts(world, label, query, float(asked["time"]))
    return None


def _time(world: World, asked: dict[str, str]) -> dict[str, object]:
    value = [float(asked["time"]), repr(min(float(asked["time"]), world.held_back_from))]
    result = [{"metric": {}, "value": value}]
    return {"status": "success", "data": {"resultType": "vector", "result": result}}


def _matrix(
    rows: list[Row], at: np.ndarray, held_back_from: float = np.inf
) -> list[dict[str, object]]:
    result: list[dict[str, object]] = []
    there = at <= held_back_from
    for row in rows:
        values = row.value(at)
        # What is held back is told as the value before it, and not at all where there is none.
        values[~there] = values[there][-1] if there.any() else np.nan
        pairs = [
            [second, _text(value)]
            for second, value in zip(at.tolist(), values.tolist(), strict=True)
            if not np.isnan(value)
        ]
        if pairs:
            result.append({"metric": row.labels, "values": pairs})
    return result


def _counts(world: World, label: str, query: str, now: float) -> dict[str, object]:
    at = np.array([now])
    rows = [row for row in _select(world, query)[0] if not np.isnan(row.value(at)[0])]
    count = Counter(row.labels.get(label, "") for row in rows)
    result = [
        {"metric": {label: name} if name else {}, "value": [now, str(number)]}
        for name, number in count.items()
    ]
    return {"status": "success", "data": {"resultType": "vector", "result": result}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    @property
    def world(self) -> World:
        return self.server.world

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self._answer(parts.path, parse_qs(parts.query))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(urlsplit(self.path).path, parse_qs(body.decode()))

    def _answer(self, path: str, form: dict[str, list[str]]) -> None:
        asked = {key: values[0] for key, values in form.items()}
        self.world.asked.append((path, asked))
        self.world.headers.append(dict(self.headers.items()))
        if self.world.broken and self.world.broken(self):
            return None
        if listed := LABEL_VALUES.search(path):
            named = (row.labels.get(listed[1]) for row in self.world.rows)
            names = sorted({name for name in named if name})
            return self.reply(200, {"status": "success", "data": names})
        if told := _at_instant(self.world, asked):
            return self.reply(200, told)
        rows, span = _select(self.world, asked["query"])
        if path.endswith("/query_range"):
            start, end, step = (float(asked[key]) for key in ("start", "end", "step"))
            if (end - start) / step > 11_000:
                error = "exceeded maximum resolution of 11,000 points per timeseries"
                return self.reply(400, {"status": "error", "errorType": "bad_data", "error": error})
            at = np.arange(start, end + step / 2, step)
        else:
            now = float(asked["time"])
            at = np.arange(now - span + 15, now + 1, 15.0)
        result = _matrix(rows, at, self.world.held_back_from)
        data = {"resultType": "matrix", "result": result}
        return self.reply(200, {"status": "success", "data": data})

    def reply(self, status: int, body: object) -> None:
        """Send one answer, as compact as the real server's."""
        raw = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_arguments: object) -> None:
        """Stay quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, world: World) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.world = world

    def handle_error(self, *_arguments: object) -> None:
        """Stay quiet when the other side has hung up."""


@contextmanager
def serving(world: World) -> Iterator[str]:
    """Serve a world; yield the URL."""
    server = _Server(world)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        world.hold.set()
        server.shutdown()
        thread.join()
        server.server_close()
