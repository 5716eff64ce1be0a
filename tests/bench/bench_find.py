"""Server time of the search and of narrowed lists over 10,000 incidents and a million log lines.

`python -m tests.bench.bench_find [--rounds 9] [--profile]`. 10,000 sessions with an incident each,
63 nodes with 504 GPUs, a million kept lines in chunks of 2,000; as the cluster's operator.
"""

import argparse
import cProfile
import pstats
import statistics
from datetime import datetime, timedelta
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from tests.bench.bench_page import portal
from tests.bench.report import load

if TYPE_CHECKING:
    from tests.cast.incidents import Cast

INCIDENTS, NODES, GPUS, LINES, CHUNK_LINES = 10_000, 63, 8, 1_000_000, 2_000
HOSTS = tuple(f"gpu{number:03}" for number in range(NODES))
CAUSES = (("gpu", "gpu-off-bus"), ("network", "link-down"), ("storage", "mount-stalled"))
WARM_UP = 2


def season(*, now: datetime) -> "Cast":
    """Record what is searched."""
    from tests.cast.incidents import assemble  # noqa: PLC0415  needs settings

    cast = assemble()
    _inventory(cast, now)
    _incidents(cast, now)
    _lines(cast, now)
    return cast


def _inventory(cast: "Cast", now: datetime) -> None:
    from apps.fleet.models import Device, Node  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    seen = {"first_seen_at": now - timedelta(days=73), "last_seen_at": now}
    owner = {"organization": cast.operator}
    with organization_scope(cast.operator.pk):
        nodes = Node.objects.bulk_create(
            Node(cluster=cast.cluster, name=name, **owner, **seen) for name in HOSTS
        )
        Device.objects.bulk_create(
            Device(
                node=node,
                kind="gpu",
                index=index,
                uuid=f"{node.name}-{index}-{'0' * 20}",
                pci=f"0000:{index:02x}:00.0",
                **owner,
                **seen,
            )
            for node in nodes
            for index in range(GPUS)
        )


def _incidents(cast: "Cast", now: datetime) -> None:
    """Copy one recorded stop of a session: rows as they are written, by thousands."""
    from apps.fleet.models import Attempt, Session, SessionParty  # noqa: PLC0415  needs settings
    from apps.incidents.models import (  # noqa: PLC0415  the same
        Incident,
        IncidentParty,
        IncidentSession,
    )
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same
    from tests.cast.incidents import attempt_of, stop_of  # noqa: PLC0415  the same

    first = stop_of(cast, attempt_of(cast, cast.tenant, hosts=list(HOSTS)))
    with organization_scope(*cast.ids):
        parties = list(IncidentParty.objects.filter(incident=first))
        hit = IncidentSession.objects.get(incident=first)
        numbers = range(INCIDENTS)
        sessions = Session.objects.bulk_create(
            Session(
                organization=cast.tenant,
                public_id=f"SES-{number}",
                cluster=cast.cluster,
                scheduler="slurm",
                name=f"pretrain-{number}",
                job=f"llm-{number % 40}",
                created_at=now,
            )
            for number in numbers
        )
        SessionParty.objects.bulk_create(
            SessionParty(organization=who, session=session)
            for session in sessions
            for who in (cast.tenant, cast.operator)
        )
        attempts = Attempt.objects.bulk_create(
            Attempt(
                organization=cast.tenant,
                session=session,
                hosts=HOSTS[number % 3 :: 3],
                hosts_asserted=True,
                started_at=now - timedelta(minutes=10 * (INCIDENTS - number)),
                state="failed",
            )
            for number, session in enumerate(sessions)
        )
        incidents: list[Incident] = []
        for number, attempt in enumerate(attempts):
            layer, cause = CAUSES[number % 3]
            row = Incident.objects.get(pk=first.pk) if not incidents else _copy(incidents[0])
            row.pk, row.public_id, row.attempt = None, f"INC-X{number}", attempt
            row.layer, row.cause, row.started_at = layer, cause, attempt.started_at
            row.culprits = [{"kind": "gpu", "host": HOSTS[number % NODES], "index": 1}]
            incidents.append(row)
        made = Incident.objects.bulk_create(incidents, batch_size=1000)
        IncidentParty.objects.bulk_create(
            (
                IncidentParty(
                    organization_id=party.organization_id,
                    incident=incident,
                    parts=party.parts,
                    sees_culprit=party.sees_culprit,
                )
                for incident in made
                for party in parties
            ),
            batch_size=5000,
        )
        IncidentSession.objects.bulk_create(
            (
                IncidentSession(
                    organization=cast.tenant,
                    incident=incident,
                    session_id=attempt.session_id,
                    attempt=attempt,
                    conclusion=hit.conclusion,
                )
                for incident, attempt in zip(made, attempts, strict=True)
            ),
            batch_size=2000,
        )


def _copy(row: object) -> "object":
    from copy import copy  # noqa: PLC0415  beside its only use

    return copy(row)


def _lines(cast: "Cast", now: datetime) -> None:
    from apps.telemetry.formats.pack import packed_chunk  # noqa: PLC0415  needs settings
    from apps.telemetry.models import Batch, LogChunk, LogStream  # noqa: PLC0415  the same
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    with organization_scope(cast.operator.pk):
        streams = LogStream.objects.bulk_create(
            LogStream(
                organization=cast.operator,
                cluster=cast.cluster,
                kind="kernel",
                host=host,
                label_digest=host.encode().ljust(32),
                labels={},
            )
            for host in HOSTS
        )
        batch = Batch.objects.create(
            organization=cast.operator,
            public_id="BAT-1",
            digest=b"d" * 32,
            received_at=now,
            protocol="upload",
            body=b"",
            state="interpreted",
        )
        for part in range(LINES // CHUNK_LINES):
            first = part * CHUNK_LINES
            text = "\n".join(
                f"[{first + n:>9}.{n:06}] mlx5_core 0000:{n % 90:02x}:00.0: health {n * 7919}"
                for n in range(CHUNK_LINES)
            )
            LogChunk.objects.create(
                organization=cast.operator,
                stream=streams[part % NODES],
                batch=batch,
                arrived_on=now.date(),
                part=part,
                first_key=first,
                last_key=first + CHUNK_LINES,
                line_count=CHUNK_LINES,
                body=packed_chunk(text=text.encode(), stamps=None),
            )


def measure(*, rounds: int, profiled: bool) -> None:
    """Print the median time of each question, in all and of the processor."""
    from django.db import connection  # noqa: PLC0415  needs settings
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415  the same
    from django.utils import timezone  # noqa: PLC0415  the same

    from tests.cast.clients import member  # noqa: PLC0415  the same

    cast = season(now=timezone.now())  # noqa: TID251  pages look at the clock
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    client = member(cast.operator).client
    client.defaults["SERVER_NAME"] = "127.0.0.1"
    org = f"/o/{cast.operator.slug}"
    typing = {"hx-target": "find-list", "hx-request": "true"}
    medians = []
    for name, path, headers in (
        ("typing a host", f"{org}/find/?q=gpu07", typing),
        ("typing a session", f"{org}/find/?q=pretrain-99", typing),
        ("typing a cause", f"{org}/find/?q=link", typing),
        ("typing nonsense", f"{org}/find/?q=no-such-thing", typing),
        ("all, a host", f"{org}/find/?q=gpu007", {}),
        ("all, nonsense", f"{org}/find/?q=no-such-thing", {}),
        ("an id", f"{org}/find/?q=incident:INC-X5000", {}),
        ("an Xid", f"{org}/find/?q=xid:79", {}),
        ("lines", f"{org}/find/?q=log:no-such-line", {}),
        ("incidents", f"{org}/incidents/?cause=link-down&host=gpu007", {}),
        ("incidents with us", f"{org}/incidents/?with=us", {}),
        ("sessions on a host", f"{org}/sessions/?host=gpu007&sort=name", {}),
    ):
        for _ in range(WARM_UP):
            client.get(path, headers=headers)
        wall, processor = [], []
        for _ in range(rounds):
            begun, used = perf_counter(), process_time()
            client.get(path, headers=headers)
            wall.append(perf_counter() - begun)
            processor.append(process_time() - used)
        medians.append(1000 * statistics.median(wall))
        with CaptureQueriesContext(connection) as asked:
            client.get(path, headers=headers)
        print(  # noqa: T201  what it measured
            f"find, {name}: median {medians[-1]:.0f} ms, fastest {1000 * min(wall):.0f} ms, "
            f"processor {1000 * statistics.median(processor):.0f} ms, {len(asked)} queries"
        )
        if profiled:
            slow = sorted(asked.captured_queries, key=lambda each: -float(each["time"]))[:3]
            for each in slow:
                print(each["time"], each["sql"][:600])  # noqa: T201  the same
            with cProfile.Profile() as profile:
                client.get(path, headers=headers)
            pstats.Stats(profile).sort_stats("cumulative").print_stats(25)
    print(f"find: at most {max(medians):.0f} ms at the median, {load()}")  # noqa: T201  the same


def main() -> None:
    """Measure on servers of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    print(f"find: {load()}")  # noqa: T201  the same
    with portal():
        measure(rounds=options.rounds, profiled=options.profile)


if __name__ == "__main__":
    main()
