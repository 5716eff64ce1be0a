"""Server time of the pages of retries and of a session's states, warm, at the scale of a season.

`python -m tests.bench.bench_retries [--rounds 30]`. 73 days, 224 sessions, 523 saves, 63 nodes,
seven states an attempt, and one session that was started 24 times with 12 states each.
"""

import argparse
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tests.bench.bench_page import Request, count_rows, portal, timed
from tests.bench.report import load

if TYPE_CHECKING:
    from tests.cast.incidents import Cast

WORDS = ("PENDING", "PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "RUNNING", "COMPLETING")
MANY_STARTS, MANY_STATES = 24, 12


def season() -> tuple["Cast", str]:
    """Write a season; return its cast and the session that was started most often."""
    from tests.cast.incidents import assemble  # noqa: PLC0415  needs settings
    from tests.cast.training_season import build_season  # noqa: PLC0415  needs settings

    cast = assemble()
    build_season(cast)
    return cast, _states(cast)


def _states(cast: "Cast") -> str:
    """Give each attempt its states, and one session many starts with many of them."""
    from apps.fleet.models import Attempt, AttemptState  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  needs settings

    with organization_scope(*cast.ids):
        first = Attempt.objects.select_related("session").order_by("id")[0]
        for number in range(2, MANY_STARTS + 1):
            begins = first.started_at + timedelta(hours=number) if first.started_at else None
            Attempt.objects.get_or_create(
                organization_id=first.organization_id,
                session=first.session,
                number=number,
                defaults={"started_at": begins, "ended_at": begins, "state": "failed"},
            )
        rows = []
        for attempt in Attempt.objects.exclude(started_at=None):
            is_many = attempt.session_id == first.session_id
            count = MANY_STATES if is_many else len(WORDS)
            begin = attempt.started_at
            if begin is None:
                continue
            rows += [_state(AttemptState, attempt, begin, place) for place in range(count)]
        AttemptState.objects.bulk_create(rows, batch_size=2000)
        print(f"states: {len(rows):,} of {Attempt.objects.count():,} attempts")  # noqa: T201
        return first.session.public_id


def _state(model, attempt, begin: datetime, place: int):  # type: ignore[no-untyped-def]  # models need settings
    return model(
        organization_id=attempt.organization_id,
        session_id=attempt.session_id,
        attempt=attempt,
        word=WORDS[place % len(WORDS)],
        scheduler="slurm",
        at=begin - timedelta(minutes=9) + timedelta(minutes=3 * place),
        source="platform",
        standing="asserted",
        received_at=begin,
    )


def page_of(cast: "Cast", who: str, address: str) -> Request:
    """Return a way to ask for a page as a member of a party."""
    from django.test import Client  # noqa: PLC0415  needs settings

    from tests.cast import make  # noqa: PLC0415  needs settings

    reader = getattr(cast, who)
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(
        make.user(organization=reader), backend="django.contrib.auth.backends.ModelBackend"
    )

    def ask() -> None:
        answer = client.get(address.format(org=reader.slug, cluster=cast.cluster.slug))
        if answer.status_code != 200:
            raise SystemExit(f"page: the portal answered {answer.status_code}")

    return ask


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    days = "first_day=2026-03-01&last_day=2026-05-12"
    with portal():
        cast, session = season()
        count_rows()
        pages = (
            ("retries, 73 days, tenant", "tenant", f"/o/{{org}}/retries/?{days}&cluster="),
            (
                *("retries, compared", "tenant"),
                f"/o/{{org}}/retries/?{days}&cluster=&changed=2026-04-01",
            ),
            (
                *("retries, cluster, operator", "operator"),
                f"/o/{{org}}/retries/?{days}&cluster={{cluster}}",
            ),
            ("session of 24 starts", "tenant", f"/o/{{org}}/sessions/{session}/"),
            ("states by REST", "tenant", f"/api/v1/o/{{org}}/sessions/{session}/states/"),
            ("chains by REST", "tenant", f"/api/v1/o/{{org}}/retry-chains/?{days}&cluster="),
        )  # fmt: skip
        print(f"page: {load()}")  # noqa: T201
        medians = []
        for name, who, address in pages:
            ask = page_of(cast, who, address)
            median, words = timed(name=name, ask=ask, rounds=options.rounds)
            medians.append(median)
            print(words)  # noqa: T201
        print(f"retries: at most {max(medians):.0f} ms at the median, {load()}")  # noqa: T201


if __name__ == "__main__":
    main()
