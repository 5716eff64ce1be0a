"""Server time of an incident's page with a long story, warm, as its tenant.

`python -m tests.bench.bench_page [--entries 1000] [--rounds 30] [--profile]`. Request to rendered
answer through every middleware, on a PostgreSQL of its own with row-level security in force; no
network in between.
"""

import argparse
import cProfile
import gc
import os
import pstats
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from threading import Event
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import django

from apps.diagnosis.model import statement
from tests.bench.report import load, quantile

if TYPE_CHECKING:
    from apps.incidents.timeline import TimelineDraft

Request = Callable[[], None]
WARM_UP = 5
# (lane, role, words): a story in the shares that a failing session of many hosts has.
KINDS = (
    ("software", "cascade", "Rank {n} gave up waiting for its collective after 600 s"),
    ("network", "cascade", "Connection to gpu{host:03d} on port {n} closed by its peer"),
    ("network", "context", "Port mlx5_{gpu} reported {n} symbol errors"),
    ("gpu", "context", "Xid 45: channel {n} was torn down"),
    ("gpu", "confirmation", "PCIe replays of GPU {gpu} rose by {n}"),
    ("host", "context", "Corrected memory error at row {n}"),
    ("storage", "context", "Request {n} waited for the file server"),
    ("software", "progress", "Step {n} done"),
    ("scheduler", "context", "Job step {n} ended"),
    ("software", "teardown", "Process {n} was ended by its launcher"),
)


@contextmanager
def portal() -> Iterator[None]:
    """Run servers and Django on them until the block ends."""
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder:
        os.environ["PORTAL_VAR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        django.setup()
        from django.core.management import call_command  # noqa: PLC0415  needs settings

        from apps.operations.servers import embedded, embedded_valkey  # noqa: PLC0415  needs settings
        from apps.operations.servers.processes import Child  # noqa: PLC0415  needs settings

        var = Path(folder)
        servers = [Child(embedded.postgres(var=var)), Child(embedded_valkey.valkey(var=var))]
        try:
            for server in servers:
                server.wait_ready(seconds=30, pause=Event())
            embedded.provision(var=var)
            call_command("migrate", database="owner", verbosity=0)
            import_module("portal.urls")
            gc.collect()
            gc.freeze()  # as the application does once it is loaded
            gc.set_threshold(20_000, 20, 20)  # the same
            yield
        finally:
            for server in reversed(servers):
                server.stop()


def count_rows() -> None:
    """Let PostgreSQL count what was written, as autovacuum does by itself; its owner must ask."""
    from django.db import connections  # noqa: PLC0415  needs settings

    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")


def incident_page(*, entries: int, words: Callable[[int], int], query: str = "") -> Request:
    """Record an incident with so many entries of its tenant; return a way to ask for its page."""
    from django.test import Client  # noqa: PLC0415  needs settings

    from apps.incidents.timeline import append  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  needs settings
    from tests.cast import make  # noqa: PLC0415  needs settings
    from tests.cast.incidents import assemble, attempt_of, stop_of  # noqa: PLC0415  the same

    cast = assemble()
    attempt = attempt_of(cast, cast.tenant, world_size=504, ended_at=make.AT + timedelta(hours=1))
    incident = stop_of(cast, attempt)
    told = [story_entry(cast.tenant.pk, number, words(number)) for number in range(entries)]
    with organization_scope(*cast.ids):
        append(incident=incident, tellings=told, now=make.AT)
    count_rows()
    client = Client(SERVER_NAME="127.0.0.1")
    client.cookies["zone"] = "Asia/Seoul"
    client.force_login(
        make.user(organization=cast.tenant), backend="django.contrib.auth.backends.ModelBackend"
    )
    address = f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/{query}"

    def ask() -> None:
        answer = client.get(address)
        if answer.status_code != 200:
            raise SystemExit(f"page: the portal answered {answer.status_code}")

    return ask


def story_entry(organization_id: int, number: int, word: int) -> "TimelineDraft":
    """Return one entry of a holder's story."""
    from apps.incidents.timeline import TimelineDraft  # noqa: PLC0415  needs settings
    from tests.cast import make  # noqa: PLC0415  needs settings

    lane, role, text = KINDS[number % len(KINDS)]
    host, gpu = word % 63 + 1, word % 8
    return TimelineDraft(
        organization_id=organization_id,
        identity=("bench", number),
        lane=lane,
        kind="event",
        role=role,
        statement=statement("text", text=text.format(n=word, host=host, gpu=gpu)),
        at=make.AT + timedelta(seconds=number * 0.9 - 450),
        clock_error_seconds=0.4 + number % 7,
        order_key=number,
        detail={
            "host": f"gpu{host:03d}",
            "gpu": gpu,
            "ranks": [word % 504],
            "source": f"gpu{host:03d}.log",
            "line": number * 17 + 3,
        },
    )


def measured(*, name: str, ask: Request, rounds: int) -> str:
    """Ask again and again, and return median and p90 in words."""
    return timed(name=name, ask=ask, rounds=rounds)[1]


def timed(*, name: str, ask: Request, rounds: int) -> tuple[float, str]:
    """Return the median in milliseconds beside these words."""
    for _ in range(WARM_UP):
        ask()
    times, own = [], []
    for _ in range(rounds):
        started, started_own = perf_counter(), process_time()
        ask()
        times.append((perf_counter() - started) * 1000)
        own.append((process_time() - started_own) * 1000)
    words = (
        f"page, {name:28} median {statistics.median(times):6.1f} ms, "
        f"p90 {quantile(times, 0.9):6.1f} ms, best {min(times):6.1f} ms; without waiting for "
        f"processor and database: median {statistics.median(own):6.1f} ms, "
        f"p90 {quantile(own, 0.9):6.1f} ms; n = {rounds}"
    )
    return statistics.median(times), words


def main() -> None:
    """Print the times; with --profile also what costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    stories: tuple[tuple[str, Callable[[int], int], str], ...] = (
        ("distinct words", lambda number: number, ""),  # nothing folds: the longest drawing
        ("repeated words", lambda number: number % 37 // 5, ""),
        ("distinct words, whole list", lambda number: number, "?group=list&all=1"),
    )
    with portal():
        print(f"page: {options.entries:,} entries, {load()}")  # noqa: T201
        for name, words, query in stories:
            ask = incident_page(entries=options.entries, words=words, query=query)
            label = name if query else f"{name}, default view"
            print(measured(name=label, ask=ask, rounds=options.rounds))  # noqa: T201
            if options.profile:
                _profile(ask)


def _profile(ask: Request) -> None:
    profile = cProfile.Profile()
    for _ in range(10):
        profile.runcall(ask)
    pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
