"""Server time of the pages of nodes that fail again, after 73 days of a cluster of 63 nodes.

`python -m tests.bench.bench_nodes [--rounds 15] [--profile]`. 224 sessions on up to 60 nodes, 300
incidents that blame nodes, 400 exclusions, kernel logs with Xids; as the cluster's operator.
"""

import argparse
import cProfile
import pstats
import random
import statistics
from datetime import datetime, timedelta
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from tests.bench.bench_page import count_rows, portal
from tests.bench.report import load

if TYPE_CHECKING:
    from tests.cast.incidents import Cast

DAYS, NODES, SESSIONS, INCIDENTS, EXCLUSIONS, EVENTS = 73, 63, 224, 300, 400, 40_000
HOSTS = tuple(f"gpu{number:03}" for number in range(NODES))
CAUSES = (("gpu", "gpu-off-bus"), ("network", "link-down"), ("storage", "mount-stalled"))
KINDS = ("drain", "down", "job")
WARM_UP = 3


def season(*, now: datetime) -> "Cast":
    """Record the cluster's 73 days; three nodes fail as often as all others together."""
    from tests.cast.failing_nodes import inventory  # noqa: PLC0415  needs settings
    from tests.cast.incidents import assemble  # noqa: PLC0415  the same

    cast, chance = assemble(), random.Random(0)  # noqa: S311  a cluster, no secret
    inventory(cast, at=now - timedelta(days=DAYS), others=HOSTS)
    _sessions(cast, chance, now)
    _exclusions(cast, chance, now)
    _events(cast, chance, now)
    return cast


def _host(chance: random.Random) -> str:
    return chance.choice(HOSTS[:3] if chance.random() < 0.5 else HOSTS)


def _sessions(cast: "Cast", chance: random.Random, now: datetime) -> None:
    from apps.incidents.models import Incident  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same
    from tests.cast.incidents import attempt_of, stop_of  # noqa: PLC0415  the same

    attempts = []
    for number in range(SESSIONS):
        begun = now - timedelta(days=DAYS * (1 - number / SESSIONS))
        size = chance.choice((1, 4, 16, 60))
        attempts.append(
            attempt_of(
                cast,
                cast.tenant,
                hosts=chance.sample(HOSTS, size),
                world_size=8 * size,
                started_at=begun,
                ended_at=begun + timedelta(hours=7),
            )
        )
    with organization_scope(*cast.ids):
        for number in range(INCIDENTS):
            attempt = attempts[number % SESSIONS]
            if number >= SESSIONS:
                attempt.pk, attempt.number = None, 2
                attempt.save()
            layer, cause = chance.choice(CAUSES)
            culprits = [{"kind": "gpu", "host": _host(chance), "index": 1}]
            found = stop_of(cast, attempt, layer=layer, cause=cause, culprits=culprits)
            at = (attempt.started_at or now) + timedelta(hours=chance.random() * 6)
            Incident.objects.filter(pk=found.pk).update(started_at=at)


def _exclusions(cast: "Cast", chance: random.Random, now: datetime) -> None:
    from apps.fleet.models import NodeExclusion  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    with organization_scope(cast.operator.pk):
        rows = []
        for number in range(EXCLUSIONS):
            at = now - timedelta(days=chance.random() * DAYS)
            kind = chance.choice(KINDS)
            rows.append(
                NodeExclusion(
                    organization=cast.operator,
                    cluster=cast.cluster,
                    host=_host(chance),
                    kind=kind,
                    session=f"run-{number}" if kind == "job" else "",
                    starts_at=at,
                    ends_at=None if kind == "job" else at + timedelta(hours=4),
                    standing="asserted",
                    cause=chance.choice(CAUSES)[1],
                    reason="told by a scheduler",
                    received_at=at,
                )
            )
        NodeExclusion.objects.bulk_create(rows)


def _events(cast: "Cast", chance: random.Random, now: datetime) -> None:
    from apps.telemetry.models import Event, LogStream  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    with organization_scope(cast.operator.pk):
        stream = LogStream.objects.create(
            organization=cast.operator,
            cluster=cast.cluster,
            kind="kernel",
            host=HOSTS[0],
            label_digest=b"s" * 32,
            labels={},
            last_received_at=now,
        )
        Event.objects.bulk_create(
            Event(
                organization=cast.operator,
                stream=stream,
                cluster=cast.cluster,
                fingerprint=number.to_bytes(16),
                signature="nvrm-xid-79" if number % 100 == 0 else "mlx5-health",
                role="initiating",
                layer="gpu",
                severity="error",
                at=now - timedelta(days=chance.random() * DAYS),
                received_at=now,
                order_key=number,
                host=_host(chance),
                body={},
            )
            for number in range(EVENTS)
        )


def measure(*, rounds: int, profiled: bool) -> None:
    """Print the median time of each page, in all and of the processor."""
    from django.db import connection  # noqa: PLC0415  needs settings
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415  the same
    from django.utils import timezone  # noqa: PLC0415  the same

    from tests.cast.clients import member  # noqa: PLC0415  the same

    cast = season(now=timezone.now())  # noqa: TID251  pages look at the clock
    count_rows()
    client = member(cast.operator).client
    client.defaults["SERVER_NAME"] = "127.0.0.1"
    org, cluster = cast.operator.slug, cast.cluster.slug
    medians = []
    for name, path in (
        ("offenders", f"/o/{org}/offenders/{cluster}/?days=73"),
        ("node", f"/o/{org}/nodes/{cluster}/{HOSTS[0]}/"),
        ("REST", f"/api/v1/o/{org}/clusters/{cluster}/offenders/?days=73"),
    ):
        for _ in range(WARM_UP):
            client.get(path)
        wall, processor = [], []
        for _ in range(rounds):
            begun, used = perf_counter(), process_time()
            client.get(path)
            wall.append(perf_counter() - begun)
            processor.append(process_time() - used)
        medians.append(1000 * statistics.median(wall))
        with CaptureQueriesContext(connection) as asked:
            client.get(path)
        print(  # noqa: T201  what it measured
            f"nodes, {name}: median {1000 * statistics.median(wall):.0f} ms, fastest "
            f"{1000 * min(wall):.0f} ms, processor {1000 * statistics.median(processor):.0f} ms, "
            f"{len(asked)} queries"
        )
        if profiled:
            with cProfile.Profile() as profile:
                client.get(path)
            pstats.Stats(profile).sort_stats("cumulative").print_stats(60)
    print(f"nodes: at most {max(medians):.0f} ms at the median, {load()}")  # noqa: T201  the same


def main() -> None:
    """Measure on servers of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    print(f"nodes: {load()}")  # noqa: T201  the same
    with portal():
        measure(rounds=options.rounds, profiled=options.profile)


if __name__ == "__main__":
    main()
