"""How long the page of a period takes over 73 days of 224 sessions, 523 saves and 63 nodes.

`python -m tests.bench.bench_reliability [--rounds 20]`. Asked in turn for the whole season, which
is more than anybody looks at daily, as its tenant and as the operator read it.
"""

import argparse
import statistics
from collections.abc import Callable
from datetime import timedelta
from time import perf_counter, process_time
from typing import Any

from tests.bench.bench_page import WARM_UP, count_rows, portal
from tests.bench.report import load

Ask = Callable[[], None]


def pages() -> dict[str, Ask]:
    """Write a season; return whose page is asked for how."""

    from tests.cast.incidents import assemble  # noqa: PLC0415  needs settings
    from tests.cast.training_season import (  # noqa: PLC0415  needs settings
        DAYS,
        FIRST_DAY,
        build_season,
    )

    cast = assemble()
    made = build_season(cast)
    count_rows()
    last_day = FIRST_DAY + timedelta(days=DAYS - 1)
    span = f"from={FIRST_DAY:%Y-%m-%d}&until={last_day:%Y-%m-%d}"
    failed = sum(each.state == "failed" for each in made)
    print(f"reliability: {len(made)} attempts, {failed} incidents")  # noqa: T201
    return {
        "its tenant": _asking(cast.tenant, span),
        "the operator": _asking(cast.operator, span),
        "jointly": _asking(cast.operator, f"{span}&view=joint&cluster={cast.cluster.slug}"),
    }


def _asking(organization: Any, query: str) -> Ask:
    from django.test import Client  # noqa: PLC0415  needs settings

    from tests.cast import make  # noqa: PLC0415  needs settings

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(
        make.user(organization=organization), backend="django.contrib.auth.backends.ModelBackend"
    )

    def ask() -> None:
        answer = client.get(f"/o/{organization.slug}/reliability/?{query}")
        if answer.status_code != 200:
            raise SystemExit(f"page: the portal answered {answer.status_code}")

    return ask


def medians(ask: Ask, *, rounds: int) -> tuple[float, float]:
    """Return milliseconds of a page by the clock, and of this process's work alone."""
    clock, worked = [], []
    for number in range(WARM_UP + rounds):
        started, started_own = perf_counter(), process_time()
        ask()
        if number >= WARM_UP:
            clock.append(perf_counter() - started)
            worked.append(process_time() - started_own)
    return statistics.median(clock) * 1000, statistics.median(worked) * 1000


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    with portal():
        found = {name: medians(ask, rounds=options.rounds) for name, ask in pages().items()}
        for name, (clock, worked) in found.items():
            print(  # noqa: T201
                f"reliability, {name:12} median {clock:6.1f} ms, {worked:6.1f} ms of it worked here"
            )
        slowest = max(clock for clock, _ in found.values())
        print(f"reliability: at most {slowest:.0f} ms at the median, {load()}")  # noqa: T201


if __name__ == "__main__":
    main()
