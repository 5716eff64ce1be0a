"""How soon a change is on 200 open streams of one web process, and what a stream costs.

`python -m tests.bench.bench_live_streams [--streams 200] [--rounds 20]`. Each stream is a person of
its own, of one of two organizations; the web process runs as it is served, with its pool, on a
PostgreSQL of its own. The delay is from before the change is written to its event in the client.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import requests

from tests.bench.bench_page import portal
from tests.bench.report import load, quantile
from tests.live.serving import free_port, served

HOST = "127.0.0.1"
PAGE = os.sysconf("SC_PAGE_SIZE")
BETWEEN = 0.37  # seconds between changes; no multiple of how often the process looks


class Stream:
    """One open stream, and when its events came."""

    def __init__(self) -> None:
        self.came: list[float] = []
        self.is_open = asyncio.Event()

    async def listen(self, port: int, slug: str, cookie: str, ready: asyncio.Semaphore) -> None:
        """Open it and note events until it is cancelled."""
        async with ready:
            reader, writer = await asyncio.open_connection(HOST, port)
            path = f"/o/{slug}/live/stream/?after="
            writer.write(
                f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\nCookie: {cookie}\r\n\r\n".encode()
            )
            status = await reader.readline()
            assert b" 200 " in status, status
            while b"event: ready" not in await reader.readline():
                pass
        self.is_open.set()
        while line := await reader.readline():
            if line.startswith(b"event: changed"):
                self.came.append(time.perf_counter())


def people(count: int) -> tuple[list[tuple[str, str]], list[int]]:
    """Make so many people of two organizations, signed in; return slug and cookie of each."""
    from django.conf import settings  # noqa: PLC0415  needs settings
    from django.test import Client  # noqa: PLC0415  needs settings

    from tests.cast import make  # noqa: PLC0415  needs settings

    organizations = [make.organization() for _ in range(2)]
    found = []
    for number in range(count):
        organization = organizations[number % 2]
        client = Client()
        client.force_login(
            make.user(organization=organization),
            backend="django.contrib.auth.backends.ModelBackend",
        )
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        found.append((organization.slug, f"{cookie.key}={cookie.value}"))
    return found, [each.pk for each in organizations]


def resident(pid: int) -> int:
    """Return how many bytes of memory a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def processor_seconds(pid: int) -> float:
    """Return how long a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(port: int, pid: int, streams: int, rounds: int) -> None:
    """Open the streams, write the changes, and print what came when."""
    announce = import_module("apps.tenancy.changes.announcements").announce_sharing
    found, organizations = await asyncio.to_thread(people, streams)
    requests.get(f"http://{HOST}:{port}/sign-in/", timeout=20)
    before = resident(pid)
    opened = [Stream() for _ in found]
    ready = asyncio.Semaphore(4)
    tasks = [
        asyncio.create_task(each.listen(port, slug, cookie, ready))
        for each, (slug, cookie) in zip(opened, found, strict=True)
    ]
    await all_open(opened, tasks)
    each_bytes = (resident(pid) - before) / streams
    idle = await idle_share(pid)
    written = []
    for _ in range(rounds):
        written.append(time.perf_counter())
        await asyncio.to_thread(announce, organizations)
        await asyncio.sleep(BETWEEN)
    await asyncio.sleep(2)
    report(opened, written, each_bytes, idle)
    for task in tasks:
        task.cancel()


async def all_open(streams: Sequence[Stream], tasks: Sequence[asyncio.Task[None]]) -> None:
    """Wait until each stream said that it is ready; raise what ended one instead."""
    opening = asyncio.gather(*(each.is_open.wait() for each in streams))
    waiting: set[asyncio.Future[Any]] = {opening, *tasks}
    done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for each in done:
        each.result()


async def idle_share(pid: int) -> float:
    """Return which share of a core the process takes while nothing changes."""
    before = processor_seconds(pid)
    await asyncio.sleep(4)
    return (processor_seconds(pid) - before) / 4


def report(
    opened: Sequence[Stream], written: Sequence[float], each_bytes: float, idle: float
) -> None:
    """Print the figures; exit where a change is missing."""
    delays = [came - at for each in opened for came, at in zip(each.came, written, strict=False)]
    missing = len(opened) * len(written) - sum(len(each.came) for each in opened)
    print(  # noqa: T201
        f"streams: {len(opened)}, {len(written)} changes, {missing} missing; delay median"
        f" {quantile(delays, 0.5):.3f} s, p95 {quantile(delays, 0.95):.3f} s,"
        f" most {max(delays):.3f} s; {each_bytes / 1024:.0f} KiB a stream;"
        f" {idle:.1%} of a core while nothing changes; {load()}"
    )
    if missing:
        sys.exit("streams: not every change came")


def main() -> None:
    """Serve, open, measure."""
    options = argparse.ArgumentParser()
    options.add_argument("--streams", type=int, default=200)
    options.add_argument("--rounds", type=int, default=20)
    asked = options.parse_args()
    with portal():
        port = free_port()
        command = [
            *(sys.executable, "-m", "apps.operations.servers.web"),
            *("--host", HOST, "--port", str(port)),
        ]
        log = Path(os.environ["PORTAL_VAR"]) / "web.log"
        os.environ |= {"PORTAL_PROCESS": "web", "PORTAL_BASE_URL": f"http://{HOST}:{port}"}
        ready = f"http://{HOST}:{port}/healthz"
        with served(command=command, log=log, ready=ready, ready_seconds=150) as pid:
            asyncio.run(measure(port, pid, asked.streams, asked.rounds))


if __name__ == "__main__":
    main()
