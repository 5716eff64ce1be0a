"""One detection cycle of a live source on one core: read, parse, watch; and how it grows.

`python -m tests.bench.bench_cycle` measures 751 names on 63 nodes of eight GPUs; `--nodes 2048`
measures 40 names of GPUs on 1/8, 1/4, 1/2 and all of so many nodes, each in a process of its own.
The server runs on another core and answers over loopback what it has written before: figures are
of the reader. All series are made up.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import django
import requests

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from apps.diagnosis.detection import watch, watch_memory  # noqa: E402  needs settings
from apps.diagnosis.detection.metrics.describe import WATCH, signal_for  # noqa: E402  needs settings
from apps.diagnosis.detection.metrics.frames import Grid  # noqa: E402  needs settings
from apps.diagnosis.model import PeerGroup, Query, Scene  # noqa: E402  needs settings
from apps.telemetry.metrics import device_resolution  # noqa: E402  needs settings
from apps.telemetry.metrics.pulls import read_spans, signal_reading  # noqa: E402  needs settings
from apps.telemetry.metrics.series_index import SeriesRoll, WantedSeries  # noqa: E402  needs settings
from apps.telemetry.models import Source  # noqa: E402  needs settings
from apps.telemetry.sources.prometheus import PrometheusSource  # noqa: E402  needs settings
from tests.bench.report import load  # noqa: E402  needs settings
from tests.live.real_prometheus import address  # noqa: E402  needs settings

Names = Sequence[tuple[str, int]]

ROOT = Path(__file__).resolve().parents[2]
STEP = 30.0
START = 1_790_000_010.0
PAST_COLUMNS = 20  # ten minutes of past before the cycles that are measured
NODES, GPUS = 63, 8
LEAST_SERIES = 3  # a name of a node is told per mode, device or cpu
SHARES = (8, 4, 2, 1)
GPU_NAMES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """What one cycle took, in seconds of the clock and of the processor."""

    read: float
    watch: float
    processor: float
    series: int
    samples: int
    rows: int
    found: int


@contextmanager
def served(*, names: Names, nodes: int) -> Iterator[str]:
    """Run the server in a process of its own; yield its URL."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.metric_server"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"names": names, "nodes": nodes}) + "\n")
        process.stdin.flush()
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()


def census_names() -> Names:
    """Return the 751 names of the published census, with how many series a node has of each."""
    from tests import census  # noqa: PLC0415  a second to import

    return [(str(each.name), max(each.devices, LEAST_SERIES)) for each in census.plan(1).names]


def gpu_names() -> Names:
    """Return so many names that are told per GPU."""
    return [pair for pair in census_names() if pair[1] == GPUS][:GPU_NAMES]


def wanted_of(names: Names) -> list[WantedSeries]:
    """Return every name as watched, also those that the catalog would not read unasked."""
    metric_names = dict.fromkeys(spelled.partition("{")[0] for spelled, _ in names)
    found = signal_reading.wanted_of(names=frozenset(metric_names), types={})
    known = {each.query.metric for each in found}
    for name in metric_names:
        if name not in known:
            signal = replace(signal_for(name), watch=WATCH)
            found.append(WantedSeries(signal=signal, query=Query(metric=name), is_mean=True))
    return found


class Reader:
    """A source that is read and watched cycle by cycle, as a pull does it."""

    def __init__(self, *, url: str, names: Names, nodes: int) -> None:
        self._url = url
        hosts = tuple(f"gpu{node:04}" for node in range(1, nodes + 1))
        group = PeerGroup(name="session", hosts=hosts, starts_at=datetime(2026, 1, 1, tzinfo=UTC))
        self._scene = Scene(groups=(group,))
        self._roll = SeriesRoll(wanted=wanted_of(names), label_map={}, aliases={})
        self._start = START
        self._source = Source(pk=1)
        self._record = device_resolution.DeviceRecord(at=datetime(2026, 1, 1, tzinfo=UTC))
        self._count = nodes * sum(several for _, several in names)
        self.memory = watch_memory.WatchMemory()

    def past(self, *, columns: int) -> Cycle:
        """Read and watch the past in blocks, as a first contact does; return the last."""
        grid = Grid(start=self._start, step=STEP, count=columns)
        blocks = read_spans.blocks_of(grid=grid, row_count=self._count)
        return [self.cycle(columns=block.count) for block in blocks][-1]

    def cycle(self, *, columns: int) -> Cycle:
        """Read and watch the next columns."""
        form: dict[str, float] = {"start": self._start, "step": STEP, "count": columns}
        requests.get(f"{self._url}/prepare", params=form, timeout=600).raise_for_status()
        grid = Grid(start=self._start, step=STEP, count=columns)
        self._start += STEP * columns
        began, used = time.monotonic(), time.process_time()
        with PrometheusSource(address=address(self._url)) as client:
            limits = signal_reading.ReadingLimits(seconds=600)
            taken = signal_reading.read_rolled(
                client=client, roll=self._roll, grid=grid, limits=limits
            )
            samples = client.sample_count
        read = time.monotonic()
        assert taken.left_out == taken.refused == ()
        frames = device_resolution.unified(
            source=self._source, frames=taken.frames, record=self._record
        )
        found, self.memory = watch.advance(memory=self.memory, frames=frames, scene=self._scene)
        return Cycle(
            read=read - began,
            watch=time.monotonic() - read,
            processor=time.process_time() - used,
            series=taken.series_count,
            samples=samples,
            rows=len(self._roll),
            found=len(found),
        )


def most_held() -> float:
    """Return the most memory that this process has held, in MB."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def pack(memory: watch_memory.WatchMemory) -> None:
    """Say what it takes to store what the detectors remember."""
    began = time.monotonic()
    body = watch_memory.memory_to_bytes(memory)
    packed = time.monotonic()
    watch_memory.memory_from_bytes(body)
    print(  # noqa: T201
        f"  memory of the detectors: {len(body) / 1e6:.0f} MB packed in {packed - began:.1f} s, "
        f"read back in {time.monotonic() - packed:.1f} s (every five minutes)"
    )


def measured(*, names: Names, nodes: int, count: int) -> Mapping[str, float]:
    """Return the middle of the cycles after the first, and the peak of this process's memory."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[0]})
    try:
        with served(names=names, nodes=nodes) as url:
            reader = Reader(url=url, names=names, nodes=nodes)
            first = reader.past(columns=PAST_COLUMNS)
            later = [reader.cycle(columns=1) for _ in range(count)]
            peak = most_held()
            pack(reader.memory)
    finally:
        os.sched_setaffinity(0, cores)
    middle = sorted(later, key=lambda each: each.read + each.watch)[len(later) // 2]
    longest = max(each.read + each.watch for each in later)
    print(  # noqa: T201
        f"  last block of {first.samples // first.series} columns of the past: read "
        f"{first.read:.1f} s, watched {first.watch:.1f} s\n"
        f"  cycles: read and parsed {middle.read:.2f} s, watched {middle.watch:.2f} s, processor "
        f"{middle.processor:.2f} s, longest {longest:.2f} s, {middle.found} findings, "
        f"n = {len(later)}",
        flush=True,
    )
    return {
        "seconds": middle.read + middle.watch,
        "processor": middle.processor,
        "longest": longest,
        "megabytes": peak,
        "series": middle.series,
        "rows": middle.rows,
    }


def one(*, count: int) -> None:
    """Measure the cluster of the published study."""
    names = census_names()
    found = measured(names=names, nodes=NODES, count=count)
    print(  # noqa: T201
        f"cycle: {found['seconds']:.2f} s and {found['megabytes']:.0f} MB for {len(names)} names, "
        f"{NODES * GPUS} GPUs, {found['series']:,.0f} series ({found['rows']:,.0f} rows) on one "
        f"core; {found['processor']:.2f} s of processor time, longest {found['longest']:.2f} s, "
        f"n = {count} cycles, simulated, {load()}"
    )


def shards(*, nodes: int, count: int) -> None:
    """Measure parts of a larger cluster, and say how seconds and memory grow with the nodes."""
    rows = []
    for share in SHARES:
        command = [sys.executable, "-m", "tests.bench.bench_cycle", "--shard", str(nodes // share)]
        done = subprocess.run(  # noqa: S603  our own module
            [*command, "--cycles", str(count)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout.splitlines()[-1])
        rows.append((nodes // share, found))
        print(  # noqa: T201
            f"  {nodes // share:5} nodes: {found['series']:9,.0f} series, {found['seconds']:6.2f} "
            f"s ({found['processor']:.2f} s of processor), {found['megabytes']:6.0f} MB, "
            f"{found['processor'] / (nodes // share) * 1000:.2f} ms a node",
            flush=True,
        )
    each = [found["processor"] / count_of for count_of, found in rows]
    spread = (max(each) / min(each) - 1) * 100
    print(  # noqa: T201
        f"shards: {spread:.0f} % between the dearest and the cheapest node, from {rows[0][0]} to "
        f"{rows[-1][0]} nodes, {GPU_NAMES} names of GPUs, simulated, {load()}"
    )


def main() -> None:
    """Measure one cycle, and how it grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=8)
    parser.add_argument("--nodes", type=int, help="only the growth up to so many nodes")
    parser.add_argument("--shard", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    gc.freeze()  # as a worker does after its fork
    if options.shard:
        found = measured(names=gpu_names(), nodes=options.shard, count=options.cycles)
        print(json.dumps(found))  # noqa: T201
        return
    if not options.nodes:
        one(count=options.cycles)
    shards(nodes=options.nodes or 2048, count=min(options.cycles, 5))


if __name__ == "__main__":
    main()
