"""What sharing costs: the projection on an incident's page, and 495 more organizations beside it.

`python -m tests.bench.bench_sharing [--entries 1000] [--rounds 30] [--organizations 500]`. Half of
the story is shown by another party, and in turn the page is asked for whose story is as long and
all the reader's own: what the first takes longer is the projection. Once as a page that was read
before, of which a process remembers what it made, and once as one that nobody ever read. Then the
database gets further organizations, each with members, a cluster, agreements and incidents of its
own.
"""

import argparse
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import count
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from tests.bench.bench_page import WARM_UP, count_rows, portal, story_entry
from tests.bench.report import load

if TYPE_CHECKING:
    from tests.cast.incidents import Cast

Ask = Callable[[], None]
FEW = 5
AT_ONCE = 5  # organizations of one cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPage:
    """The page of an incident of which others show half, and one that is all the reader's own."""

    name: str
    ask: Ask
    ask_own: Ask
    record: Callable[[], tuple[Ask, Ask]]  # both of incidents that nobody read yet


def shared_pages(*, entries: int) -> list[SharedPage]:
    """Record an incident whose parties share; return its page as two of them read it."""
    from apps.incidents.timeline import append  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  needs settings
    from tests.cast import make  # noqa: PLC0415  needs settings
    from tests.cast.agreements import agreed  # noqa: PLC0415  needs settings
    from tests.cast.incidents import assemble, attempt_of, stop_of  # noqa: PLC0415  the same

    cast = assemble()
    agreed(cast.operator, cast.tenant, cast.cluster, preset="joint-operations")
    hosts = [f"gpu{number:03d}" for number in range(1, 64)]
    numbers = count(step=entries)  # no words twice: what is made of words is remembered

    def recorded(attempt: Any, *holders: Any) -> str:
        incident, first = stop_of(cast, attempt), next(numbers)
        told = [story_entry(holders[n % len(holders)].pk, n, first + n) for n in range(entries)]
        with organization_scope(*cast.ids):
            append(incident=incident, tellings=told, now=make.AT)
        return f"incidents/{incident.public_id}/"

    def ran() -> Any:
        return attempt_of(
            cast, cast.tenant, hosts=hosts, world_size=504, ended_at=make.AT + timedelta(hours=1)
        )

    def page(name: str, reader: Any) -> SharedPage:
        asking = _asking(reader)

        def record() -> tuple[Ask, Ask]:
            shared = recorded(ran(), cast.tenant, cast.operator)
            return partial(asking, shared), partial(asking, recorded(ran(), reader))

        ask, ask_own = record()
        return SharedPage(name=name, ask=ask, ask_own=ask_own, record=record)

    return [page("half in full", cast.tenant), page("half redacted", cast.operator)]


def _asking(organization: Any) -> Callable[[str], None]:
    from django.test import Client  # noqa: PLC0415  needs settings

    from tests.cast import make  # noqa: PLC0415  needs settings

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(
        make.user(organization=organization), backend="django.contrib.auth.backends.ModelBackend"
    )

    def ask(path: str) -> None:
        answer = client.get(f"/o/{organization.slug}/{path}")
        if answer.status_code != 200:
            raise SystemExit(f"page: the portal answered {answer.status_code}")

    return ask


def projection_cost(*, page: SharedPage, rounds: int) -> tuple[float, float]:
    """Return what a page with shared things takes more than one without, both asked in turn: by the
    clock, and of the process alone.
    """
    shared, own = [], []
    for number in range(WARM_UP + rounds):
        took, took_own = _seconds(page.ask), _seconds(page.ask_own)
        if number >= WARM_UP:
            shared.append(took)
            own.append(took_own)
    by_clock, worked = (
        statistics.median(each[n] for each in shared) / statistics.median(each[n] for each in own)
        for n in range(2)
    )
    return by_clock - 1.0, worked - 1.0


def first_cost(*, page: SharedPage, rounds: int) -> tuple[float, float]:
    """Return what the first reading of a page with shared things takes more than that of one
    without, in processor time: as a share, and in milliseconds.
    """
    shared: list[float] = []
    own: list[float] = []
    for number in range(WARM_UP + rounds):
        ask, ask_own = page.record()
        pair = [(shared, ask), (own, ask_own)]
        for times, each in pair if number % 2 else reversed(pair):  # neither is always the first
            took = _seconds(each)[1]
            if number >= WARM_UP:
                times.append(took)
    more, without = statistics.median(shared), statistics.median(own)
    return more / without - 1.0, (more - without) * 1000


def _seconds(ask: Ask) -> tuple[float, float]:
    """Return how long it took, and how much of that this process worked."""
    started, started_own = perf_counter(), process_time()
    ask()
    return perf_counter() - started, process_time() - started_own


def add_organizations(*, count: int) -> None:
    """Add organizations, a handful to a cluster, that agree with each other and have incidents."""
    from tests.cast.agreements import agreed  # noqa: PLC0415  needs settings
    from tests.cast.incidents import assemble, attempt_of, stop_of  # noqa: PLC0415  the same

    for _ in range(count // AT_ONCE):
        cast: Cast = assemble()
        for other in (cast.tenant, cast.other_tenant, cast.vendor):
            agreed(cast.operator, other, cast.cluster, preset="joint-operations")
        for tenant in (cast.tenant, cast.other_tenant):
            for _ in range(2):
                stop_of(cast, attempt_of(cast, tenant))


def medians(*, pages: list[SharedPage], rounds: int) -> dict[str, float]:
    """Return the median processor time of each page, in milliseconds: machines are shared."""
    found = {}
    for page in pages:
        for _ in range(WARM_UP):
            page.ask()
        found[page.name] = statistics.median(_seconds(page.ask)[1] for _ in range(rounds)) * 1000
    return found


def main() -> None:
    """Print both ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--first-rounds", type=int, default=10)
    parser.add_argument("--organizations", type=int, default=500)
    options = parser.parse_args()
    with portal():
        print(f"sharing: {options.entries:,} entries, {load()}")  # noqa: T201
        pages = shared_pages(entries=options.entries)
        costs = {page.name: projection_cost(page=page, rounds=options.rounds) for page in pages}
        for name, (cost, own) in costs.items():
            print(  # noqa: T201
                f"sharing, {name:16} projection {cost:+6.1%} of the page, without waiting for "
                f"processor and database {own:6.1%}"
            )
        # By the clock it is what else the machine does that is measured.
        worst = max(own for _, own in costs.values())
        print(f"sharing: projection at most {worst * 100:.1f} % of a page's work")  # noqa: T201
        for page in pages:
            share, more = first_cost(page=page, rounds=options.first_rounds)
            print(  # noqa: T201
                f"sharing, {page.name:16} projection at a first reading {share:+6.1%} of the page,"
                f" {more:.1f} ms of the processor"
            )
        few = medians(pages=pages, rounds=options.rounds)
        add_organizations(count=options.organizations - FEW)
        count_rows()
        many = medians(pages=pages, rounds=options.rounds)
        for name, before in few.items():
            print(  # noqa: T201
                f"organizations, {name:16} {before:6.1f} ms beside {FEW}, "
                f"{many[name]:6.1f} ms beside {options.organizations}, in processor time"
            )
        worst = max(many[name] / before for name, before in few.items())
        print(f"organizations: at most {worst:.2f} x the page beside {FEW}")  # noqa: T201


if __name__ == "__main__":
    main()
