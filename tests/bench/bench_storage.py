"""Server time of the pages of the storage path and of stragglers, at the scale of a season.

`python -m tests.bench.bench_storage [--rounds 15] [--profile]`. 73 days of 63 nodes: 224 sessions
whose logs tell 523 saves, 523 saves in metrics, a rollup every five minutes, a step trace of every
second attempt.
"""

import argparse
import cProfile
import pstats
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from time_machine import travel

from tests.bench.bench_page import count_rows, portal, timed
from tests.bench.bench_retries import page_of
from tests.bench.report import load

if TYPE_CHECKING:
    from apps.telemetry.models import Source
    from apps.telemetry.storage_path.slot_samples import SlotSamples
    from tests.cast.incidents import Cast
    from tests.cast.training_season import Start

MOUNT: Final = "nas1:/ckpt"
SAVES, INTERVAL, QUIET_INTERVALS = 523, 30, 10
SAVE_RATE, QUIET_RATE = 2.2e9, 1e6  # bytes/s of a node
DAYS: Final = 73
FIRST_DAY: Final = datetime(2026, 3, 1, tzinfo=UTC)  # of the season of the cast
HOSTS: Final = tuple(f"gpu{node:03d}" for node in range(1, 64))


def season() -> tuple["Cast", str]:
    """Write a season; return its cast, and an instant within one of its saves."""
    from tests.cast.incidents import assemble  # noqa: PLC0415  needs settings
    from tests.cast.training_season import build_season  # noqa: PLC0415  the same

    cast = assemble()
    starts = build_season(cast)
    saved = _saves(cast, starts)
    _quiet_slots(cast)
    _traces(cast)
    return cast, f"{saved + timedelta(seconds=60):%Y-%m-%dT%H:%M:%SZ}"


def _saves(cast: "Cast", starts: list["Start"]) -> datetime:
    """Write the saves of logs and of metrics; return when the last one begins."""
    from apps.fleet.models import Session  # noqa: PLC0415  needs settings
    from apps.telemetry.metrics.pulls import storage_reading  # noqa: PLC0415  the same
    from apps.telemetry.models import LoggedCheckpoints  # noqa: PLC0415  the same
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    chance = random.Random(2)  # noqa: S311  a cluster, no secret
    source = _source(cast)
    told: dict[int, list[list[object]]] = {}
    last = starts[0].begins
    with organization_scope(*cast.ids):
        for step in range(SAVES):
            start = chance.choice(starts)
            last = start.begins + (start.ends - start.begins) * chance.random()
            ended = last + timedelta(seconds=chance.uniform(90, 400))
            body = [start.number, "save", last.isoformat(), ended.isoformat(), step, False, True]
            told.setdefault(start.session, []).append(body)
            samples = tuple(_around(start.hosts, last, ended))
            storage_reading.write_storage(source=source, samples=samples)
        numbers = dict(Session.objects.values_list("public_id", "pk"))
        LoggedCheckpoints.objects.bulk_create(
            LoggedCheckpoints(
                organization=cast.tenant,
                session_id=numbers[f"SES-S{session:04d}"],
                starts_at=min(str(each[2]) for each in body),
                ends_at=max(str(each[3]) for each in body),
                body=body,
            )
            for session, body in told.items()
        )
    return last


def _source(cast: "Cast") -> "Source":
    from apps.telemetry.models import Source  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same
    from tests.cast import make  # noqa: PLC0415  the same

    with organization_scope(cast.operator.pk):
        return Source.objects.create(
            organization=cast.operator,
            public_id="SRC-BENCH",
            cluster=cast.cluster,
            kind="prometheus",
            name="metrics",
            url="http://127.0.0.1:9",
            created_at=make.AT,
        )


def _around(hosts: tuple[str, ...], begins: datetime, ends: datetime) -> Iterator["SlotSamples"]:
    """Yield what these hosts did from five minutes before a save until five minutes behind it."""
    first = int(begins.timestamp()) // 300 * 300 - 300
    for slot in range(first, int(ends.timestamp()) + 300, 300):
        inside = [
            begins.timestamp() <= at - INTERVAL < ends.timestamp()
            for at in range(slot + INTERVAL, slot + 301, INTERVAL)
        ]
        yield _slot(slot, hosts, np.array(inside))


def _slot(
    starts_at: int, hosts: tuple[str, ...], is_saving: "np.ndarray[Any, Any]"
) -> "SlotSamples":
    from apps.telemetry.storage_path.slot_samples import (  # noqa: PLC0415  needs settings
        HOST,
        TOTALS,
        SlotSamples,
    )

    moved = INTERVAL * np.where(is_saving, SAVE_RATE * 16 / min(16, len(hosts)), QUIET_RATE)
    requests = moved / 2**20
    seconds = np.where(is_saving, 1.2, 0.1) * requests
    told = {
        "seconds": np.full(len(moved), float(INTERVAL)),
        "slots": np.where(is_saving, 128.0, 3.0),
        "write_bytes": moved,
        "write_requests": requests,
        "write_queue": np.where(is_saving, 0.9, 0.0) * seconds,
        "write_response": np.where(is_saving, 0.1, 1.0) * seconds,
        "write_request": seconds,
        "backlog": np.where(is_saving, 40.0, 0.0) * requests,
        "sends": requests,
    }
    rows = np.array([told.get(name, np.zeros(len(moved))) for name in HOST]).T
    at = starts_at + INTERVAL * np.arange(1, len(moved) + 1)
    whole = {name: values * len(hosts) for name, values in told.items()}
    whole |= {"at": at, "seconds": told["seconds"], "host_count": np.full(len(at), len(hosts))}
    whole["utilization"] = np.full(len(at), 0.7)
    return SlotSamples(
        mount=MOUNT,
        starts_at=starts_at,
        totals=np.array([whole.get(name, np.zeros(len(at))) for name in TOTALS], dtype=float).T,
        hosts=hosts,
        by_host=np.repeat(rows[:, None, :], len(hosts), axis=1),
    )


def _quiet_slots(cast: "Cast") -> None:
    """Fill all other five minutes with what hosts do at rest."""
    from apps.telemetry.models import Source, StorageSlot  # noqa: PLC0415  needs settings
    from apps.telemetry.storage_path.slot_bodies import packed_hosts, packed_totals  # noqa: PLC0415  the same
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    quiet = np.zeros(QUIET_INTERVALS, dtype=bool)
    told = _slot(int(FIRST_DAY.timestamp()), HOSTS, quiet)
    totals, hosts = packed_totals(told.totals), packed_hosts(HOSTS, told.by_host.sum(axis=0))
    with organization_scope(cast.operator.pk):
        source = Source.objects.get(public_id="SRC-BENCH")

        def row(number: int) -> StorageSlot:
            return StorageSlot(
                organization=cast.operator,
                source=source,
                cluster=cast.cluster,
                mount=MOUNT,
                starts_at=FIRST_DAY + number * timedelta(minutes=5),
                totals=totals,
                hosts=hosts,
            )

        StorageSlot.objects.bulk_create(
            (row(number) for number in range(DAYS * 288)), batch_size=2000, ignore_conflicts=True
        )


def _traces(cast: "Cast") -> None:
    """Give every second attempt a step trace: what three of them say, again and again."""
    from apps.fleet.models import Attempt, Session  # noqa: PLC0415  needs settings
    from apps.reliability.facade.stragglers import add_trace  # noqa: PLC0415  the same
    from apps.telemetry.models import StragglerFinding  # noqa: PLC0415  the same
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same
    from tests.cast import trace_files  # noqa: PLC0415  the same
    from tests.cast.incidents import actor  # noqa: PLC0415  the same

    asking = actor(cast.tenant)
    with organization_scope(*cast.ids):
        attempts = list(Attempt.objects.select_related("session").order_by("id"))[::2]
        known: list[StragglerFinding] = []
        added_at = attempts[0].started_at
        assert added_at is not None
        for body in (trace_files.slow_worker(), trace_files.slow_last_stage()):
            add_trace(
                actor=asking,
                session=Session.objects.order_by("id")[0].public_id,
                attempt=None,
                files=[("trace", body)],
                now=added_at,
            )
        known = list(StragglerFinding.objects.order_by("id"))
        rows = []
        for number, attempt in enumerate(attempts):
            row = known[number % len(known)]
            rows.append(
                StragglerFinding(
                    organization=cast.tenant,
                    public_id=f"STR-{number:05d}",
                    session=attempt.session,
                    attempt_number=attempt.number,
                    digest=number.to_bytes(32),
                    added_at=attempt.started_at or added_at,
                    added_by="bench",
                    form=row.form,
                    cause=row.cause,
                    slowdown=row.slowdown,
                    discrepancy=row.discrepancy,
                    body=row.body,
                )
            )
        StragglerFinding.objects.bulk_create(rows)
        counts = (Session.objects.count(), len(rows))
        print("storage: {} sessions, {} step traces".format(*counts))  # noqa: T201


def main() -> None:
    """Print the times; with --profile also what costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    with portal():
        cast, at = season()
        count_rows()
        # Pages look back from today: it is the day after the season.
        with travel(FIRST_DAY + timedelta(days=DAYS)):
            print(f"page: {load()}")  # noqa: T201
            medians = []
            for name, who, address in _pages(at):
                ask = page_of(cast, who, address)
                median, words = timed(name=name, ask=ask, rounds=options.rounds)
                medians.append(median)
                print(words, flush=True)  # noqa: T201
                if options.profile:
                    with cProfile.Profile() as profile:
                        ask()
                    pstats.Stats(profile).sort_stats("cumulative").print_stats(60)
            print(f"storage: at most {max(medians):.0f} ms at the median, {load()}")  # noqa: T201


def _pages(at: str) -> tuple[tuple[str, str, str], ...]:
    """Return what is asked for, by whom."""
    path = "/o/{org}/clusters/{cluster}/storage-path/"
    rest = "/api/v1/o/{org}/clusters/{cluster}/storage-path/"
    return (
        ("one save, operator", "operator", f"{path}?days=90&at={at}"),
        ("ledger of 90 days, operator", "operator", f"{path}?days=90&view=ledger"),
        ("ledger of 90 days, tenant", "tenant", f"{path}?days=90&view=ledger"),
        ("scale of 90 days, operator", "operator", f"{path}?days=90&view=scale"),
        ("storage by REST, operator", "operator", f"{rest}?since={FIRST_DAY:%Y-%m-%dT%H:%M:%SZ}"),
        ("stragglers, tenant", "tenant", "/o/{org}/stragglers/?months=6"),
        ("stragglers by REST, tenant", "tenant", "/api/v1/o/{org}/stragglers/"),
    )


if __name__ == "__main__":
    main()
