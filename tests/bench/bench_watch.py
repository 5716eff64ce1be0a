"""`python -m tests.bench.bench_watch`: watching alone, on one core, without reading or storing.

A block of history is 751 names of 63 nodes for six hours of a minute each, every name looked at by
the three detectors that cost most; a live block is one new column of 252,000 series.
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.detection.watch import advance
from apps.diagnosis.detection.watch_memory import WatchMemory, memory_from_bytes, memory_to_bytes
from apps.diagnosis.model import BadDirection, Device, Frame, PeerGroup, Scene, Signal

BEGAN = 1_789_999_200.0
HOSTS = tuple(f"node{number:03}" for number in range(63))
NODES = tuple(Device(kind="node", host=host) for host in HOSTS)
GPUS = tuple(
    Device(kind="gpu", host=host, index=index, uuid=f"{host}-{index}")
    for host in HOSTS
    for index in range(8)
)
NAMES, LIVE_NAMES = 751, 500
WATCH = ("peers", "change", "drift")


def signals(count: int) -> list[Signal]:
    """Return made-up gauges that the costliest detectors look at."""
    like = catalog().signals["gpu.clock"]
    return [
        replace(like, name=f"made.up.{number}", watch=WATCH, bad=BadDirection.EITHER, floor=1.0)
        for number in range(count)
    ]


def scene() -> Scene:
    """Return one session on all nodes but three."""
    starts_at = datetime.fromtimestamp(BEGAN - 7200, UTC)
    return Scene(groups=(PeerGroup(name="one", hosts=HOSTS[:60], starts_at=starts_at),))


def blocks(
    entities: Sequence[Device], watched: Sequence[Signal], *, columns: int, step: float, count: int
) -> Iterator[list[Frame]]:
    """Yield blocks of noise, one after the other."""
    chance = np.random.default_rng(1)
    for block in range(count):
        shape = (len(watched), len(entities), columns)
        values = chance.normal(100, 1, shape).astype(np.float32)
        yield [
            Frame(
                signal=each,
                entities=tuple(entities),
                start=BEGAN + block * columns * step,
                step=step,
                values=values[place],
            )
            for place, each in enumerate(watched)
        ]


def seconds_each(of: Iterator[list[Frame]]) -> tuple[list[float], WatchMemory]:
    """Return the processor time of each block, and the memory at the end."""
    memory, spent = WatchMemory(), []
    for frames in of:
        began = time.process_time()
        _, memory = advance(memory=memory, frames=frames, scene=scene())
        spent.append(time.process_time() - began)
    return spent, memory


def main() -> None:
    """Measure both kinds of block and the memory between them."""
    past, _ = seconds_each(blocks(NODES, signals(NAMES), columns=360, step=60.0, count=6))
    print(  # noqa: T201  a command
        f"watch, block of {NAMES} names x {len(HOSTS)} nodes x 360 columns: "
        f"median {np.median(past):.2f} s, at most {max(past):.2f} s (n {len(past)})"
    )
    live, memory = seconds_each(blocks(GPUS, signals(LIVE_NAMES), columns=1, step=30.0, count=25))
    print(  # noqa: T201  a command
        f"watch, one column of {LIVE_NAMES * len(GPUS):,} series: "
        f"median {np.median(live):.2f} s, at most {max(live):.2f} s (n {len(live)})"
    )
    began = time.process_time()
    body = memory_to_bytes(memory)
    written = time.process_time()
    memory_from_bytes(body)
    print(  # noqa: T201  a command
        f"watch, memory of that: {len(body) / 1e6:.1f} MB, written in {written - began:.2f} s, "
        f"read in {time.process_time() - written:.2f} s"
    )


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
