"""Does the disk stay flat over months of days: sizes of the tables once what went was cleaned up.

`python -m tests.bench.bench_keep [--days 260] [--lines 3000] [--xids 20]`. Each day a kernel log of
one of four nodes and every fourth day a session, of so many lines; every twentieth a session that
dies. Logs come in by the code that receivers call; the retention runs each evening with its
defaults; sizes are `pg_total_relation_size` after a plain VACUUM, which autovacuum does by itself.
"""

import argparse
import os
from time import monotonic

import django


def main() -> None:
    """Let the days pass; print the sizes, and the last beside the first that is steady."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=260)
    parser.add_argument("--lines", type=int, default=3000)
    parser.add_argument("--xids", type=int, default=20)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    measure(days=options.days, lines=options.lines, xids=options.xids)


def measure(*, days: int, lines: int, xids: int) -> None:
    """Start a database of its own and measure in it."""
    from django.conf import settings  # noqa: PLC0415  needs settings
    from django.core.management import call_command  # noqa: PLC0415

    from apps.operations.servers import embedded, embedded_valkey  # noqa: PLC0415
    from apps.operations.servers.supervisor import Supervisor  # noqa: PLC0415
    from tests.apps.telemetry.days import Days, sizes  # noqa: PLC0415
    from tests.cast.pushes import cast  # noqa: PLC0415

    var = settings.PORTAL_VAR
    with Supervisor(var=var, say=print) as supervisor:
        supervisor.start(embedded_valkey.valkey(var=var))
        supervisor.start(embedded.postgres(var=var))
        embedded.provision(var=var)
        call_command("migrate", database="owner", verbosity=0)
        simulated, seen, began = Days(people=cast(), lines=lines, xids=xids), {}, monotonic()
        for day in simulated.live(days=days):
            if day % 5 == 4:
                seen[day + 1] = sizes()
            if day % 20 == 19:
                _say(day + 1, seen[day + 1])
        text, facts = ({d: each[name] for d, each in seen.items()} for name in TABLES)
        lost, told = len(simulated.lost()), simulated.estimated()
    print(f"keep: {days} days in {monotonic() - began:.0f} s")  # noqa: T201
    print(f"keep: {max(text.values()) / text[30]:.2f} x raw text, any day beside day 30")  # noqa: T201
    late = [size for day, size in facts.items() if day >= 200]
    if late:
        print(f"keep: {max(late) / late[0]:.2f} x events, any later day beside day 200")  # noqa: T201
    last = sum(seen[max(seen)].values())
    print(f"keep: {told / last:.2f} x the real size is what the pages estimate")  # noqa: T201
    print(f"keep: {len(simulated.cited)} citations, {lost} of their lines lost")  # noqa: T201


TABLES = ("telemetry_logchunk", "telemetry_event")


def _say(day: int, size: dict[str, int]) -> None:
    total = sum(size.values()) / 2**20
    raw, events = (size[name] / 2**20 for name in TABLES)
    print(f"  day {day:3}: raw {raw:6.2f} MiB, events {events:6.2f} MiB, together {total:6.2f} MiB")  # noqa: T201


if __name__ == "__main__":
    main()
