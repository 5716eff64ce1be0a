"""Lines over HTTP to committed events: sender, web, worker, database on the machine's cores."""

import argparse
import http.client
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from time import monotonic
from urllib.parse import urlsplit

import django

Rest = Callable[[str], int]  # rows of a table, told in SQL
BODY_BYTES = 2**20
HOSTS = 63
START = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
TOKEN = "bench"  # noqa: S105  a name
# About 150 characters. One line in fifty is progress or trouble, as in a session that still runs.
INNOCENT = (
    (
        " [dataloader] worker {k} prefetched shard {n:06d} of /data/corpus/part-{m:012d}.bin in "
        "0.{k:03d} s, queue depth 12, cache hits 99.1 %"
    ),
    (
        " [memory] allocated 61234.5 MiB, reserved 70{k:03d}.0 MiB, peak 702{k:03d}.0 MiB, "
        "fragmentation 3.2 %, step {n:06d}"
    ),
    (
        " [optimizer] grad norm {k:03d}.12, clipped 0, loss scale 1.0, skipped 0, lr 1.5e-04, "
        "tokens {m:012d}, sequence length 8192"
    ),
)
PROGRESS = (
    " iteration {n:8d}/  500000 | consumed samples: {m:12d} | elapsed time per iteration (ms): "
    "12{k:03d}.4 | learning rate: 1.500E-04 | loss: 2.4{k:03d}E+00"
)
TROUBLE = (
    " gpu001:{k}:{n} [0] NCCL WARN NET/IB: Got completion from peer 10.0.0.7<4791> with "
    "status=12 opcode=0 len=0 vendor err 129 (Recv) localGid fe80::1"
)


def _said(number: int, body: int) -> str:
    if number % 500 == 499:
        words = TROUBLE
    elif number % 50 == 49:
        words = PROGRESS
    else:
        words = INNOCENT[number % 3]
    return words.format(n=number, m=number * 512 + body, k=number % 504)


def lines_of(*, body: int) -> Iterator[tuple[int, str]]:
    """Yield (stamp in ns, line) of one host for about a mebibyte, later for each body."""
    turn, size, number = body // HOSTS, 0, 0
    while size < BODY_BYTES - 200:
        at = START + timedelta(seconds=turn * 100, milliseconds=10 * number)
        line = f"[{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}]{_said(number, body)}"
        size += len(line) + 1
        number += 1
        yield int(at.timestamp() * 1e9) + number, line


def text_body(*, body: int) -> tuple[str, bytes, str, int]:
    """Return path, body, content type and line count of a plain upload."""
    lines = [line for _, line in lines_of(body=body)]
    path = f"/api/v1/logs?session=bench&host=gpu{body % HOSTS + 1:03d}&stream=session&tz=UTC"
    return path, "\n".join(lines).encode(), "text/plain", len(lines)


def loki_body(*, body: int) -> tuple[str, bytes, str, int]:
    """Return path, body, content type and line count of a Loki push."""
    values = [[str(stamp), line] for stamp, line in lines_of(body=body)]
    labels = {"session": "bench-loki", "host": f"gpu{body % HOSTS + 1:03d}", "stream": "session"}
    document = {"streams": [{"stream": labels, "values": values}]}
    return "/loki/api/v1/push", json.dumps(document).encode(), "application/json", len(values)


def processor_seconds(var: Path) -> float:
    """Return what the installation's processes and this one have used of the processors."""
    from tests.running import processes_of  # noqa: PLC0415  needs settings

    total = sum(os.times()[:2])
    for pid in processes_of(var):
        if pid != os.getpid():
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def measured(
    *,
    name: str,
    base_url: str,
    token: str,
    bodies: list[tuple[str, bytes, str, int]],
    rest: Rest,
    var: Path,
) -> str:
    """Push everything, wait until it is interpreted, and return the speed in words."""
    before, used, started = rest("event"), processor_seconds(var), monotonic()
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=60)
    for path, body, content_type, _ in bodies:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": content_type}
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{name}: the portal answered {answer.status}")
    sent = monotonic() - started
    while rest("batch WHERE state = 'accepted'"):
        Event().wait(0.05)
    seconds, used = monotonic() - started, processor_seconds(var) - used
    lines = sum(count for *_, count in bodies)
    size = sum(len(body) for _, body, _, _ in bodies) / 1e6
    return (
        f"ingest, {name:6} {lines / seconds:10,.0f} lines/s  ({lines:,} lines, {size:.0f} MB, "
        f"{rest('event') - before:,} events; sent in {sent:.1f} s, read after {seconds:.1f} s; "
        f"{used:.1f} s of processor time: {lines / used:,.0f} lines a core and second)"
    )


def main() -> None:
    """Start a portal of its own, push through both receivers, print lines per second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=126)
    count = parser.parse_args().bodies
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from apps.operations.servers import private_sockets  # noqa: PLC0415
    from tests import running  # noqa: PLC0415  needs settings

    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder:
        var = Path(folder)
        variables = running.environment(var)
        with running.portal(var, variables) as process:
            said = running.read_until(process, "Faultline is up")
            if "Faultline is up" not in said:
                raise SystemExit(said)
            setup = running.manage(
                *("setup", "--cluster", "bench", "--organization", "bench", "--part", "tenant"),
                *("--token", TOKEN),
                variables=variables,
            )
            token = setup.rpartition(f"token {TOKEN}: ")[2].strip()
            rest = _counter(str(private_sockets.socket_directory(var=var)))
            for name, make in (("text", text_body), ("loki", loki_body)):
                bodies = [make(body=number) for number in range(count)]
                print(  # noqa: T201
                    measured(
                        name=name,
                        base_url=variables["PORTAL_BASE_URL"],
                        token=token,
                        bodies=bodies,
                        rest=rest,
                        var=var,
                    ),
                    flush=True,
                )
        running.wait_until_gone(var, 10)


def _counter(sockets: str) -> Rest:
    import psycopg  # noqa: PLC0415  only for this

    server = psycopg.connect(host=sockets, user="postgres", dbname="portal", autocommit=True)

    def count(what: str) -> int:
        row = server.execute(f"SELECT count(*) FROM telemetry_{what}".encode()).fetchone()  # noqa: S608  our own words
        return int(row[0]) if row else 0

    return count


if __name__ == "__main__":
    main()
