"""`python -m tests.bench [part …]`: measure, then say for each figure whether it is as required.

Each part is a module with options of its own: `python -m tests.bench.bench_page --help`.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.report import Figure, load, table

ROOT = Path(__file__).resolve().parents[2]
PARTS: Mapping[str, Sequence[Figure]] = {
    "signatures": (
        Figure(
            name="signature matching beside an RE2 Set",
            pattern=r"^  ours .* ([\d.]+) x RE2 Set",
            unit="x",
            required=1.0,
            is_at_least=True,
        ),
        Figure(
            name="the same through hyperscan",
            pattern=r"^  ours, blocks through hyperscan .* ([\d.]+) x RE2 Set",
            unit="x",
            required=3.0,
            is_at_least=True,
        ),
    ),
    "diagnose": (
        Figure(
            name="a gigabyte of 504 ranks to its diagnosis",
            pattern=r"^diagnose: .* in ([\d.]+) s ",
            unit="s",
            required=30,
        ),
        Figure(
            name="memory of its processes together",
            pattern=r"^diagnose: .* at most ([\d.]+) MB",
            unit="MB",
            required=400,
        ),
    ),
    "start": (
        Figure(
            name="a small file's diagnosis beyond Django and numpy",
            pattern=r"^start: ([\d.]+) s ",
            unit="s",
            required=0.5,
        ),
    ),
    "ingest": tuple(
        Figure(
            name=f"lines over HTTP to committed events, {name}",
            pattern=rf"^ingest, {name} +([\d,]+) lines/s",
            unit="lines/s",
            required=50_000,
            is_at_least=True,
        )
        for name in ("text", "loki")
    ),
    "watch": (
        Figure(
            name="watching six hours of 751 names on 63 nodes",
            pattern=r"^watch, block of .* median ([\d.]+) s",
            unit="s",
            required=3,
        ),
        Figure(
            name="watching one new column of 252,000 series",
            pattern=r"^watch, one column .* median ([\d.]+) s",
            unit="s",
            required=2,
        ),
    ),
    # 250,000 series every 30 s are 8,400 samples a second.
    "push": (
        Figure(
            name="samples by remote_write into the window",
            pattern=r"^push, remote_write +([\d,]+) samples/s",
            unit="samples/s",
            required=8_400,
            is_at_least=True,
        ),
    ),
    "tables": (
        Figure(
            name="points of a machine's metrics scored",
            pattern=r"^tables, ours: ([\d.]+) M points/s scored",
            unit="M points/s",
            required=1,
            is_at_least=True,
        ),
        Figure(
            name="columns of an incident ranked beside fse-baro",
            pattern=r"^tables, fse-baro: .* ours ([\d.]+) x as fast",
            unit="x",
            required=1,
            is_at_least=True,
        ),
    ),
    "bulk": (
        Figure(
            name="range answers to float64 beside msgspec",
            pattern=r"^bulk: ([\d.]+) x msgspec",
            unit="x",
            required=2.0,
            is_at_least=True,
        ),
        Figure(
            name="the same beside what Prometheus sends",
            pattern=r"^bulk: ([\d.]+) x as fast as the server",
            unit="x",
            required=1.0,
            is_at_least=True,
        ),
    ),
    "cycle": (
        Figure(
            name="one detection cycle, 250,000 series, one core",
            pattern=r"^cycle: ([\d.]+) s",
            unit="s",
            required=10,
        ),
        Figure(name="memory of that", pattern=r"^cycle: .* and (\d+) MB", unit="MB", required=600),
        Figure(
            name="dearest beside cheapest node, 256 to 2,048",
            pattern=r"^shards: (\d+) %",
            unit="%",
            required=20,
        ),
    ),
    "latency": (
        Figure(
            name="newest evidence pushed to verdict by REST, p90",
            pattern=r"^latency: .* p90 ([\d.]+) s",
            unit="s",
            required=5,
        ),
    ),
    # Beside a flood of another organization, receiver by receiver and at sign-in.
    "fairness": tuple(
        Figure(
            name=f"{name}, p95, beside another's flood",
            pattern=rf"^fairness: {name}, p95, at most ([\d.]+) x quiet",
            unit="x quiet",
            required=2.0,
        )
        for name in ("push answer", "push to incident", "page")
    ),
    "page": (
        Figure(
            name="page of an incident with 1,000 entries, p90",
            pattern=r"^page, distinct words, default view .* p90 +([\d.]+) ms",
            unit="ms",
            required=150,
        ),
    ),
    "live": (
        Figure(
            name="an act of one party on another's open page, p95",
            pattern=r"^live: .* p95 ([\d.]+) s",
            unit="s",
            required=1,
        ),
    ),
    "live_streams": (
        Figure(
            name="a change on each of 200 open streams, p95",
            pattern=r"^streams: 200, .* p95 ([\d.]+) s,",
            unit="s",
            required=0.5,
        ),
    ),
    "sharing": (
        Figure(
            name="projection of what others show, of an incident's page, processor time",
            pattern=r"^sharing: projection at most ([\d.-]+) % of a page's work",
            unit="%",
            required=10,
        ),
        Figure(
            name="page beside 500 organizations, of five",
            pattern=r"^organizations: at most ([\d.]+) x",
            unit="x",
            required=1.2,
        ),
    ),
    "reliability": (
        Figure(
            name="page of 73 days, 224 sessions, 523 saves",
            pattern=r"^reliability: at most ([\d.]+) ms",
            unit="ms",
            required=300,
        ),
    ),
    "nodes": (
        Figure(
            name="slowest page of nodes that fail again",
            pattern=r"^nodes: at most ([\d.]+) ms",
            unit="ms",
            required=300,
        ),
    ),
    "find": (
        Figure(
            name="slowest search and narrowed list",
            pattern=r"^find: at most ([\d.]+) ms",
            unit="ms",
            required=300,
        ),
    ),
    "retries": (
        Figure(
            name="slowest page of retries and states",
            pattern=r"^retries: at most ([\d.]+) ms",
            unit="ms",
            required=300,
        ),
    ),
    "logs": (
        Figure(
            name="slowest page of a held log of a gigabyte, at any offset",
            pattern=r"^logs: at most ([\d.]+) ms",
            unit="ms",
            required=300,
        ),
        Figure(
            name="memory of that",
            pattern=r"^logs: at most .* and (\d+) MB",
            unit="MB",
            required=200,
        ),
        *(
            Figure(
                name=f"memory of a search through all of it, {name}",
                pattern=rf"^logs, search {name}: .* and (\d+) MB",
                unit="MB",
                required=200,
            )
            for name in ("literal", "RE2")
        ),
    ),
    # An incident with 10,000 entries and 12 charts, in Chromium.
    "dashboards": tuple(
        Figure(
            name=f"incident of 10,000 entries, {name}", pattern=pattern, unit=unit, required=most
        )
        for name, pattern, unit, most in (
            ("server", r"^dashboards, ours, server: median (\d+) ms", "ms", 200),
            ("LCP", r"^dashboards, ours: LCP median (\d+) ms", "ms", 1_200),
            ("longest task", r"^dashboards, ours: .* longest task .* worst (\d+);", "ms", 200),
            ("window", r"^dashboards, ours, brush: median (\d+) ms", "ms", 100),
            ("grouping", r"^dashboards, ours, filter: median (\d+) ms", "ms", 100),
            (
                "window, pointer at rest",
                r"^dashboards, ours, brush, rested: median (\d+)",
                "ms",
                100,
            ),
            ("grouping, at rest", r"^dashboards, ours, filter, rested: median (\d+)", "ms", 100),
            ("zoom of all charts", r"^dashboards, ours, zoom: median (\d+) ms", "ms", 100),
            ("sent, with charts", r"^dashboards, ours: .* (\d+) kB cold", "kB", 700),
            ("sent, without", r"^dashboards, ours plain: .* (\d+) kB cold", "kB", 60),
            *(
                (f"{what} beside {peer}", rf"^dashboards, {what} beside {peer}: ([\d.]+) x", "x", 1)
                for peer in ("Prometheus", "Netdata")
                for what in ("LCP", "longest task", "zoom", "bytes")
            ),
        )
    ),
    "storage": (
        Figure(
            name="slowest page of the storage path and of stragglers",
            pattern=r"^storage: at most ([\d.]+) ms",
            unit="ms",
            required=300,
        ),
    ),
    "fleet": tuple(
        Figure(
            name=f"scrub step of the fleet, {size}, {side}",
            pattern=rf"^fleet, {size}, {side}: median ([\d.]+) ms",
            unit="ms",
            required=required,
        )
        for size, required in (("504 GPUs", 100), ("16,384 GPUs", 500))
        for side in ("server", "browser")
    ),
    "keep": (
        Figure(
            name="raw text on the disk, any day beside day 30",
            pattern=r"^keep: ([\d.]+) x raw text",
            unit="x",
            required=1.1,
        ),
        Figure(
            name="events on the disk, any later day beside day 200",
            pattern=r"^keep: ([\d.]+) x events",
            unit="x",
            required=1.1,
        ),
    ),
    "memory": (
        Figure(
            name="memory of all processes after the demo",
            pattern=r"^memory: ([\d,]+) MB",
            unit="MB",
            required=1200,
        ),
    ),
}
# All pages at the scale of the study: 73 days, 224 sessions, 523 saves, 63 nodes.
GROUPS: Mapping[str, Sequence[str]] = {"season": ("reliability", "nodes", "retries", "storage")}


def main() -> None:
    """Run the parts in turn, each in a process of its own, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    names = ", ".join([*PARTS, *GROUPS])
    parser.add_argument("parts", nargs="*", metavar="part", help=names)
    asked = parser.parse_args().parts or list(PARTS)
    wanted = [part for name in asked for part in GROUPS.get(name, (name,))]
    if unknown := sorted(set(wanted) - set(PARTS)):
        parser.error(f"no part {', '.join(unknown)}; there are {names}")
    began = load()
    said, failed = {}, []
    for part in wanted:
        said[part], code = run(part)
        failed += [part] if code else []
    print(f"\nTaken at {began}, at the end {load()}")  # noqa: T201
    figures = [(figure, said[part]) for part in wanted for figure in PARTS[part]]
    print("\n".join(table(figures=figures)))  # noqa: T201
    if failed:
        sys.exit(f"did not run to its end: {', '.join(failed)}")


# Of processes that the supervisor starts: with one thread of numpy each, as it starts them.
SERVED = frozenset({"page", "sharing", "find", *GROUPS["season"]})


def run(part: str) -> tuple[str, int]:
    """Run a part, pass on what it prints, and return that and its exit code."""
    print(f"\n== {part}", flush=True)  # noqa: T201
    lines: list[str] = []
    with subprocess.Popen(  # noqa: S603  our own module
        [sys.executable, "-u", "-m", f"tests.bench.bench_{part}"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"} if part in SERVED else None,
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)  # noqa: T201
            lines.append(line)
    return "".join(lines), running.returncode


if __name__ == "__main__":
    main()
