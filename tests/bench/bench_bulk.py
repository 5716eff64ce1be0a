"""A range answer of a real Prometheus → float64: ours beside json, orjson and msgspec, in one run.

The body is recorded from a Prometheus of this machine, filled for the purpose; without one, or with
`--body FILE`, another body may be read. Each reader gives the same arrays, which is checked. Times
are of the processor: a busy machine changes them less than those of the clock.
"""

import argparse
import importlib.util
import json
import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import requests
from numpy.typing import NDArray

from apps.telemetry.sources import matrix
from tests.bench.report import load
from tests.live.real_prometheus import BINARY, TOOL, exporting, prometheus

Arrays = tuple[NDArray[np.float64], NDArray[np.float64]]
SERIES, POINTS, STEP = 64, 720, 10
START = 1_790_000_000 // 7200 * 7200
# Name → value of a series at a point, as exporters of a GPU node write it; one has all digits.
KINDS: Mapping[str, Callable[[Any, int, int], str]] = {
    "DCGM_FI_DEV_GPU_TEMP": lambda r, s, n: f"{60 + int(3 * math.sin(n / 50 + s) + 2 * r())}",
    "DCGM_FI_DEV_POWER_USAGE": lambda r, _s, _n: f"{600 + 90 * r():.3f}",
    "DCGM_FI_DEV_SM_CLOCK": lambda r, _s, _n: "1980" if r() < 0.9 else "1965",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda r, _s, _n: f"{r():.6f}",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": lambda r, s, n: str(
        82734987234 + s * 1000003 + n * 6000000 + int(5000 * r())
    ),
    "node_memory_MemAvailable_bytes": lambda r, _s, _n: str(
        1800000000000 + int(1e9 * r()) // 4096 * 4096
    ),
    "node_cpu_seconds_total": lambda r, s, n: f"{123456 + s * 1000 + n * 9.97 + r():.2f}",
    "node_pressure_io_waiting_seconds_total": lambda r, s, n: (
        f"{1234 + s + n * 0.0123 + 0.001 * r():.6f}"
    ),
    "node_load1": lambda r, _s, _n: f"{100 * r():.2f}",
    "bench_share": lambda r, _s, _n: repr(float(r())),
}


def history() -> Iterator[str]:
    """Yield two hours of ten names as OpenMetrics text."""
    random = np.random.default_rng(7).random
    for name, value in KINDS.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        yield f"# TYPE {name.removesuffix('_total')} {kind}\n"
        for series in range(SERIES):
            node, gpu = series // 8 + 1, series % 8
            labels = (
                f'Hostname="gpu{node:03}",UUID="GPU-5f0c1d2e-{series:04x}-4a5b-9c8d-0123456789ab",'
                f'device="nvidia{gpu}",gpu="{gpu}",instance="10.20.0.{node}:9400",'
                'job="dcgm-exporter",modelName="NVIDIA B200"'
            )
            for point in range(POINTS):
                at = START + point * STEP
                yield f"{name}{{{labels}}} {value(random, series, point)} {at}\n"
    yield "# EOF\n"


def recorded(folder: Path) -> tuple[bytes, float]:
    """Return a body of a real server, and the fastest time in which it sent it."""
    with (
        exporting() as exporter,
        prometheus(directory=folder, exporter=exporter, history="".join(history())) as url,
    ):
        form = {
            "query": '{__name__=~"DCGM_.*|node_.*|bench_.*"}',
            "start": START,
            "end": START + (POINTS - 1) * STEP,
            "step": STEP,
        }
        best, body = math.inf, b""
        for _ in range(5):
            began = time.monotonic()
            answer = requests.post(
                f"{url}/api/v1/query_range",
                data=form,
                headers={"Accept-Encoding": "identity"},
                timeout=60,
            )
            body, best = answer.content, min(best, time.monotonic() - began)
    return body, best


def of_objects(answer: Any) -> Arrays:
    """Return the arrays of an answer in dicts and lists."""
    pairs = [pair for series in answer["data"]["result"] for pair in series["values"]]
    return np.array([pair[0] for pair in pairs], float), np.array([float(v) for _, v in pairs])


def ours(body: bytes) -> Arrays:
    """Return the arrays as the portal reads them."""
    read = matrix.read(body)
    return read.at, read.values


def with_json(body: bytes) -> Arrays:
    """Return the arrays through the standard library."""
    return of_objects(json.loads(body))


def with_orjson(body: bytes) -> Arrays:
    """Return the arrays through orjson."""
    return of_objects(orjson.loads(body))


def with_msgspec() -> Callable[[bytes], Arrays]:
    """Return a reader through msgspec's typed structs."""
    import msgspec  # noqa: PLC0415  of the benches only

    class Series(msgspec.Struct):  # type: ignore[misc, unused-ignore]  # as if not installed
        metric: dict[str, str]
        values: list[tuple[float, str]]

    class Data(msgspec.Struct):  # type: ignore[misc, unused-ignore]  # as if not installed
        result: list[Series]

    class Answer(msgspec.Struct):  # type: ignore[misc, unused-ignore]  # as if not installed
        data: Data

    decoder = msgspec.json.Decoder(Answer)

    def read(body: bytes) -> Arrays:
        pairs = [pair for series in decoder.decode(body).data.result for pair in series.values]
        return np.array([at for at, _ in pairs]), np.array([float(v) for _, v in pairs])

    return read


def readers() -> dict[str, Callable[[bytes], Arrays]]:
    """Return every reader that is installed here."""
    found: dict[str, Callable[[bytes], Arrays]] = {
        "ours": ours,
        "orjson": with_orjson,
        "json": with_json,
    }
    if importlib.util.find_spec("msgspec"):
        found["msgspec"] = with_msgspec()
    return found


def fastest(read: Callable[[bytes], Arrays], body: bytes, turns: int) -> float:
    """Return the least processor time of some turns."""
    best = math.inf
    for _ in range(turns):
        began = time.process_time()
        read(body)
        best = min(best, time.process_time() - began)
    return best


def main() -> None:
    """Record a body, read it in each way, print MB/s and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--body", type=Path, help="a recorded answer to read instead")
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_args()
    sent = math.nan
    if options.body:
        body, origin = options.body.read_bytes(), str(options.body.name)
    elif BINARY and TOOL:
        with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder:
            body, sent = recorded(Path(folder))
        origin = "a real Prometheus"
    else:
        raise SystemExit("bulk: no prometheus on this machine to record a body from; name --body")
    report(body=body, origin=origin, sent=sent, turns=options.turns)


def report(*, body: bytes, origin: str, sent: float, turns: int) -> None:
    """Print what each reader needs for a body."""
    size = len(body) / 1e6
    at, values = ours(body)
    print(f"  {size:.1f} MB of {origin}: {len(at):,} samples, best of {turns}, {load()}")  # noqa: T201
    seconds = {}
    for name, read in readers().items():
        other_at, other_values = read(body)
        assert other_at.tobytes() == at.tobytes()
        assert other_values.tobytes() == values.tobytes()
        seconds[name] = fastest(read, body, turns)
        print(f"  {name:8} {size / seconds[name]:6.0f} MB/s")  # noqa: T201
    if "msgspec" in seconds:
        print(f"bulk: {seconds['msgspec'] / seconds['ours']:.2f} x msgspec")  # noqa: T201
    else:
        print("  msgspec is not installed: see requirements-bench.txt")  # noqa: T201
    print(  # noqa: T201
        f"bulk: {seconds['orjson'] / seconds['ours']:.2f} x orjson, "
        f"{seconds['json'] / seconds['ours']:.2f} x json"
    )
    if not math.isnan(sent):
        print(  # noqa: T201
            f"bulk: {sent / seconds['ours']:.2f} x as fast as the server sends "
            f"({size / sent:.0f} MB/s)"
        )


if __name__ == "__main__":
    main()
