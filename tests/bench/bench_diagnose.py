"""A gigabyte of session logs through `manage.py diagnose`: seconds and memory of all processes.

`python -m tests.bench.bench_diagnose [--megabytes 1000] [--hosts 63]`. One file a rank, eight ranks
a host; nine lines in ten are progress or INFO, two in a hundred events. Beside it, over the same
files, `grep` counts the lines that hold any literal of any signature.
"""
# ruff: noqa: E501  lines of logs keep their length

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from apps.diagnosis.signatures.load import load_catalog
from tests.bench.bench_memory import Memory, memory_of
from tests.bench.report import load

ROOT = Path(__file__).resolve().parents[2]
RANKS_A_HOST = 8
LOOK_SECONDS = 0.2
BEGAN = datetime(2026, 11, 9, 1, 0, 0)  # noqa: DTZ001  as programs print it
# Same width as what stands there in the end: files differ in names and numbers, not in length.
HOST, RANK = "gpuHHH", "RRRRR"
SET_UP = (
    "{host}:{pid}:{tid} [{gpu}] NCCL INFO Channel {a:02}/0 : {b}[{gpu}] -> {c}[{gpu}] [send] via NET/IB/{gpu}/GDRDMA",
    "{host}:{pid}:{tid} [{gpu}] NCCL INFO Channel {a:02} : {b}[{gpu}] -> {c}[{gpu}] via P2P/CUMEM",
    "{host}:{pid}:{tid} [{gpu}] NCCL INFO Trees [0] {b}/-1/-1->{c}->-1 [1] {b}/-1/-1->{c}->-1",
    "{host}:{pid}:{tid} [{gpu}] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA {gpu} 'mlx5_{gpu}'",
)
PROGRESS = (
    " [{at}] iteration {step:>8}/  500000 | consumed samples: {samples:>12} | elapsed time per iteration (ms): {ms:.1f} | learning rate: 1.4{a:02}E-04 | global batch size:  2048 | lm loss: 2.{b:05}E+00 | loss scale: 1.0 | grad norm: 0.{c:03} | number of skipped iterations:   0 | number of nan iterations:   0 |",
    "[{at}][INFO][trainer.py:410] step {step} loss 2.{b} grad_norm 0.{c} tokens/s {samples} mfu 0.4{a}",
)
INFO = (
    "{at},{ms:03.0f} - datasets.packing - INFO - packed {samples} documents of shard {a} into {b} sequences of 8192 tokens",
    "{at},{ms:03.0f} - trainer.memory - INFO - allocated {b} MiB, reserved {c} MiB, fragments {a}, step {step}",
    "{at} INFO  [loader-{a}] prefetched batch {step} of worker {gpu}: {b} samples in {ms:.2f} ms, queue depth {a}",
    "{at} DEBUG [optimizer] bucket {a} of {b} reduced in {ms:.3f} ms, overlap 0.9{a}, step {step}",
    "[rank{rank}]: {at} INFO checkpoint writer idle, {c} tensors pinned, {b} MiB staged, step {step}",
)
FREE = (
    "    moving averages: {b} {c} {a} {samples} {step}",
    "expert load {a} {b} {c} balanced to within {ms:.2f} percent of the mean over {step} steps",
    "| layer {a:>3} | {b:>8} | {c:>8} | {ms:>10.4f} |",
    "",
)
EVENTS = (
    "{host}:{pid}:{tid} [{gpu}] misc/socket.cc:{a} NCCL WARN socketProgress: Connection closed by remote peer {peer}<{port}>",
    "[rank{rank}]:[W1109 {clock}.{micro:06} ProcessGroupNCCL.cpp:{b}] [Rank {rank}] Found key in store: NCCLABORTEDCOMM, from rank: {c}",
    "[rank{rank}]:[E1109 {clock}.{micro:06} ProcessGroupNCCL.cpp:{b}] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={step}, OpType=ALLREDUCE, NumelIn={samples}, NumelOut={samples}, Timeout(ms)=600000) ran for 600{a:03} milliseconds before timing out.",
    "{host}:{pid}:{tid} [{gpu}] NCCL INFO NET/IB : Got async event : port active",
    "{at},{ms:03.0f} - torch.utils.data - WARNING - DataLoader worker (pid {pid}) is killed by signal: Terminated. ",
    "RuntimeError: NCCL communicator was aborted on rank {c}.",
)


@dataclass(slots=True)
class Watch:
    """The most that a process and its descendants held together."""

    pid: int
    most: Memory
    stop: Event

    def run(self) -> None:
        """Look again and again until told to stop."""
        while not self.stop.wait(LOOK_SECONDS):
            held = sum((memory_of(pid) for pid in _family(self.pid)), Memory())
            self.most = max(self.most, held, key=lambda one: one.pss)


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in children:
            yield from _family(int(child))


def write_logs(*, folder: Path, size: int, hosts: int) -> int:
    """Write about `size` bytes of logs below `folder` and return how many there are."""
    written = 0
    bodies = [_body(gpu=gpu, size=size // hosts // RANKS_A_HOST) for gpu in range(RANKS_A_HOST)]
    for host in range(hosts):
        name = f"gpu{host:03}"
        (folder / "session" / name).mkdir(parents=True)
        for gpu, body in enumerate(bodies):
            rank = host * RANKS_A_HOST + gpu
            text = body.replace(HOST.encode(), name.encode())
            text = text.replace(RANK.encode(), str(rank).encode())
            (folder / "session" / name / f"rank{rank}.log").write_bytes(text)
            written += len(text)
    return written


def _body(*, gpu: int, size: int) -> bytes:
    dice = random.Random(gpu)  # noqa: S311  repeatable, not secret
    lines: list[str] = []
    length, at, step = 0, BEGAN, 1200
    while length < size:
        at += timedelta(milliseconds=dice.randrange(2000))
        step += dice.random() < 0.05
        line = _line(dice, is_early=length < size * 0.03).format(
            **_values(dice),
            host=HOST,
            rank=RANK,
            gpu=gpu,
            step=step,
            at=at.replace(microsecond=0),
            clock=f"{at:%H:%M:%S}",
            pid=4000 + gpu,
            tid=4100 + gpu,
        )
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines).encode()


def _line(dice: random.Random, *, is_early: bool) -> str:
    share = dice.random()
    if share < 0.02:
        return dice.choice(EVENTS)
    if share < 0.10:
        return dice.choice(FREE)
    if is_early:
        return dice.choice(SET_UP)
    return dice.choice(PROGRESS if share < 0.50 else INFO)


def _values(dice: random.Random) -> dict[str, object]:
    return {
        "a": dice.randrange(10, 99),
        "b": dice.randrange(1000, 99999),
        "c": dice.randrange(100, 504),
        "samples": dice.randrange(10**6, 10**9),
        "ms": dice.uniform(100, 999),
        "micro": dice.randrange(10**6),
        "peer": f"10.4.{dice.randrange(63)}.{dice.randrange(8)}",
        "port": dice.randrange(32768, 60999),
    }


def diagnosed(folder: Path) -> tuple[str, float, float, Memory]:
    """Run the command; return its answer, the seconds, those of processors, and the memory."""
    before, began = _processor(), monotonic()
    with subprocess.Popen(  # noqa: S603  our own command
        [sys.executable, "manage.py", "diagnose", "--format", "json", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        watch = Watch(pid=running.pid, most=Memory(), stop=Event())
        looking = Thread(target=watch.run)
        looking.start()
        said, _ = running.communicate()
        watch.stop.set()
        looking.join()
    if running.returncode not in {0, 3}:
        raise SystemExit("diagnose: the command failed")
    return said, monotonic() - began, _processor() - before, watch.most


def counted_by_grep(folder: Path) -> tuple[int, float]:
    """Return how many lines hold a literal, and the processor seconds of finding out."""
    literals = {literal for one in load_catalog().values() for literal in one.literals}
    before = _processor()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write("\n".join(sorted(literals)) + "\n")
        wanted.flush()
        found = subprocess.run(  # noqa: S603
            ["grep", "-r", "-h", "-c", "-F", "-f", wanted.name, str(folder)],  # noqa: S607
            env={**os.environ, "LC_ALL": "C"},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    return sum(map(int, found.stdout.split())), _processor() - before


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _summary(said: str) -> str:
    answer = json.loads(said)
    told: Sequence[dict[str, int]] = answer["symptoms"]
    return f"{answer['verdict']['status']}, {sum(one['count'] for one in told):,} events"


def main() -> None:
    """Print how long it takes, beside grep over the same files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--hosts", type=int, default=63)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name:
        folder = Path(name)
        size = write_logs(folder=folder, size=options.megabytes * 1_000_000, hosts=options.hosts)
        files = options.hosts * RANKS_A_HOST
        lines, grep_seconds = counted_by_grep(folder)
        said, seconds, processor, memory = diagnosed(folder)
    print(  # noqa: T201
        f"diagnose: {size / 1e6:,.0f} MB of {files} ranks in {seconds:.1f} s "
        f"({size / 1e6 / seconds:.0f} MB/s), {processor:.1f} s of processors, "
        f"at most {memory.pss / 1000:.0f} MB in {memory.count} processes, {load()}\n"
        f"  answer: {_summary(said)}\n"
        f"  grep -c -F of all literals: {lines:,} lines, {grep_seconds:.1f} s of processors "
        f"({size / 1e6 / max(grep_seconds, 0.01):.0f} MB/s)"
    )


if __name__ == "__main__":
    main()
