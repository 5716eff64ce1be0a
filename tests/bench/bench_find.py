"""Server time of the search and of narrowed lists over 10,000 incidents and a million log lines.

`python -m tests.bench.bench_find [--rounds 9] [--profile]`. 10,000 sessions with an incident each,
63 nodes with 504 GPUs, a million kept lines in chunks of 2,000; as the cluster's operator.
"""

import argparse
import cProfile
import pstats
import statistics
from time import perf_counter, process_time

from tests.bench.bench_page import count_rows, portal
from tests.bench.find_season import season
from tests.bench.report import load

WARM_UP = 2


def measure(*, rounds: int, profiled: bool) -> None:
    """Print the median time of each question, in all and of the processor."""
    from django.db import connection  # noqa: PLC0415  needs settings
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415  the same
    from django.utils import timezone  # noqa: PLC0415  the same

    from tests.cast.clients import member  # noqa: PLC0415  the same

    cast = season(now=timezone.now())  # noqa: TID251  pages look at the clock
    count_rows()
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
