"""A held log of a gigabyte: stretches, jumps and slices of a search, and all of it searched.

`python -m tests.bench.bench_logs [--mebibytes 1024] [--rounds 40]`. Lines are stored as they are
after interpretation, in parts of one mebibyte; what is measured is the server's time of a page.
A search through the whole follows the page's own slices to the end, as the reader's clicks do; its
one hit stands in the middle.
"""

import argparse
import random
import resource
import statistics
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import TYPE_CHECKING

from tests.bench.bench_page import count_rows, portal
from tests.bench.report import load

if TYPE_CHECKING:
    from tests.apps.telemetry.held_logs.held import Holder

PART_BYTES = 2**20
TAIL = "99999999 | elapsed time per iteration (ms): 1234.5 | lm loss: 2.1E+00 | grad norm: 0.412"
START = datetime(2026, 11, 1, tzinfo=UTC)


def stored(*, mebibytes: int) -> "tuple[Holder, int]":
    """Store a log of so much text; return who holds it and how many lines it has."""
    from apps.telemetry.formats.pack import packed_chunk  # noqa: PLC0415  needs settings
    from apps.telemetry.models import Batch, LogChunk, LogStream  # noqa: PLC0415  the same
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same
    from tests.apps.telemetry.held_logs.held import holder  # noqa: PLC0415  the same

    made, number, key = holder(), 1, 1
    now = datetime.now(UTC)  # noqa: TID251  chunks lie in the day of their arrival
    with organization_scope(made.organization.pk):
        stream = LogStream.objects.create(
            organization=made.organization, cluster=made.cluster, kind="session", host="gpu001",
            label_digest=b"b" * 32, labels={}, first_at=START, last_received_at=now,
        )  # fmt: skip
        batch = Batch.objects.create(
            organization=made.organization, public_id="b-bench", digest=b"b" * 32,
            received_at=now, protocol="upload", body=b"",
        )  # fmt: skip
        for part in range(mebibytes):
            text, count = _text(number)
            at = START + timedelta(seconds=number)
            key = round(at.timestamp()) * 10**9
            LogChunk.objects.create(
                organization=made.organization, stream=stream, batch=batch, part=part,
                arrived_on=now.date(), first_key=key, last_key=key + count * 10**9,
                first_number=number, line_count=count, starts_at=at,
                ends_at=at + timedelta(seconds=count), body=packed_chunk(text=text, stamps=None),
            )  # fmt: skip
            number += count
        stream.line_count, stream.last_at = number - 1, START + timedelta(seconds=number)
        stream.save()
    return made, number - 1


def _text(number: int) -> tuple[bytes, int]:
    """Return a mebibyte of lines that print their second and number."""
    lines: list[str] = []
    size, second = 0, ""
    while size < PART_BYTES:
        at = number + len(lines)
        if len(lines) % 60 == 0:  # printing a time is dear, and a minute is near enough
            second = f"{START + timedelta(seconds=at):%Y-%m-%d %H:%M:%S}"
        lines.append(f"[{second},000] [INFO] [trainer.py:107:log] [Rank 0] iteration {at}/ {TAIL}")
        size += len(lines[-1]) + 1
    return "\n".join(lines).encode(), len(lines)


def main() -> None:
    """Print the slowest of all medians, and the memory that was taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mebibytes", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=40)
    asked = parser.parse_args()
    with portal():
        made, count = stored(mebibytes=asked.mebibytes)
        count_rows()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        took = {name: _median(made, count, name, asked.rounds) for name in QUERIES}
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        for name in SEARCHES:
            print(searched(made, count, name), flush=True)  # noqa: T201
    for name, seconds in took.items():
        print(f"logs, {name:<14} median {1000 * seconds:6.1f} ms")  # noqa: T201
    print(  # noqa: T201
        f"logs: at most {1000 * max(took.values()):.1f} ms and {grown / 1024:.0f} MB more,"
        f" {asked.mebibytes} MiB in {count:,} lines, {load()}"
    )


QUERIES = {
    "a line": lambda place: f"?line={place}",
    "older": lambda place: f"?before={place}",
    "newer": lambda place: f"?from={place}",
    "a time": lambda place: f"?at={START + timedelta(seconds=place):%Y-%m-%dT%H:%M:%S}",
    "a search": lambda place: f"?q=no+such+words&from={place}",
}


SEARCHES = {
    "literal": (r"iteration {middle}/", False),
    "RE2": (r"iteration {middle}/.*grad norm: 0\.4\d+$", True),
}


def searched(made: "Holder", count: int, name: str) -> str:
    """Search the whole log slice by slice; return the times and the memory in words."""
    from apps.telemetry.facade.held_logs import LineQuery, search_lines  # noqa: PLC0415  settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    text, is_pattern = SEARCHES[name]
    query = LineQuery(text=text.format(middle=count // 2), is_pattern=is_pattern)
    key, place, hits, slices, first = made.stream().key, 1, 0, 0, 0.0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = perf_counter()
    while place:
        with organization_scope(made.organization.pk):
            found = search_lines(actor=made.actor, key=key, query=query, number=place)
        hits, slices, place = hits + len(found.lines), slices + 1, found.next_number or 0
        first = first or (perf_counter() - began if hits else 0.0)
    taken = perf_counter() - began
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return (
        f"logs, search {name}: first hit {first:.2f} s, whole count {taken:.2f} s,"
        f" {hits} hit in {slices} slices and {grown:.0f} MB more"
    )


def _median(made: "Holder", count: int, name: str, rounds: int) -> float:
    from tests.cast.clients import member  # noqa: PLC0415  needs settings

    client = member(made.organization).client
    client.defaults["SERVER_NAME"] = "127.0.0.1"
    chance = random.Random(1)  # noqa: S311  an offset, no secret
    base = f"/o/{made.organization.slug}/logs/{made.stream().key}/"
    taken = []
    for _ in range(rounds):
        place = chance.randint(2, count)
        began = perf_counter()
        answer = client.get(base + QUERIES[name](place))
        taken.append(perf_counter() - began)
        if answer.status_code != 200:
            raise SystemExit(f"{name}: {answer.status_code}")
    return statistics.median(taken)


if __name__ == "__main__":
    main()
