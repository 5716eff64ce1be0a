"""The same numbers through the portal: metrics are pulled and traces pushed, and REST is read.

What the pages say is what the arithmetic says of what was generated. A small number of saves and
traces: the arithmetic itself is measured by the rows beside these, on many.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from tests.bench.bench_page import portal
from tests.score.reliability.row import Row, share
from tests.score.reliability.scale_through_portal import scale_rows

if TYPE_CHECKING:
    from tests.cast.clients import Asking
    from tests.cast.metrics import Cast
    from tests.cast.storage_mounts import SavingTime
    from tests.cast.storage_world import StorageWorld

NUMBERS: Final = ("S1", "S2", "S3", "S4", "S5", "S6", "E3", "E4", "E5")
SAVES, EVERY, LASTS = 8, timedelta(minutes=25), timedelta(seconds=290)
NODE_RATE, SCRAPE_SECONDS = 5e9, 30
RATED_BYTES_PER_SECOND: Final = 250e9
SLOTS, REQUEST_SECONDS, QUEUE_SHARE = 512, 1.621, 0.931
HOST: Final = "127.0.0.1"
BY_REST: Final = "through the portal, by REST: "


def rows() -> Iterator[Row]:
    """Start a portal, send it what is generated, and yield what it answers."""
    with portal():
        yield from _storage_rows()
        yield from scale_rows(BY_REST)
        yield from _straggler_rows()


def _storage_rows() -> Iterator[Row]:
    from tests.cast.metrics import HOSTS, NOW, cast  # noqa: PLC0415  needs settings
    from tests.cast.storage_mounts import SavingTime  # noqa: PLC0415  the same

    people = cast()
    begins = [NOW - EVERY * (SAVES - number) for number in range(SAVES)]
    saves = [
        SavingTime(begins=at.timestamp(), ends=(at + LASTS).timestamp(), bytes_per_second=NODE_RATE)
        for at in begins
    ]
    answer = _pulled(people, saves, since=begins[0] - EVERY, until=NOW)
    found = answer["phases"]
    moved = LASTS.total_seconds() * NODE_RATE * len(HOSTS)
    yield share("S1", BY_REST + "saves found", _found(found, begins), SAVES, at_least=0.98)
    yield share(
        "S1", BY_REST + "of those found, real", _real(found, begins), len(found), at_least=0.98
    )
    yield Row(
        number="S2",
        name=BY_REST + "share of the rating that was entered",
        value=_share_of(answer, "rated"),
        n=len(found),
        equals=NODE_RATE * len(HOSTS) / RATED_BYTES_PER_SECOND,
        within=0.01,
    )
    yield Row(
        number="S3",
        name=BY_REST + "queue share, the farthest of all saves",
        value=max(
            (each["queue_share"] for each in found), key=lambda told: abs(told - QUEUE_SHARE)
        ),
        n=len(found),
        equals=QUEUE_SHARE,
        within=0.001,
    )
    slots = answer["detail"]["slots"]
    served = REQUEST_SECONDS * (1 - QUEUE_SHARE)
    yield Row(
        number="S4",
        name=BY_REST + "bound of the slots that were entered, of the formula's",
        value=slots["bound_bytes_per_second"] / (SLOTS * 2**20 / served),
        n=1,
        equals=1.0,
        within=0.01,
    )
    yield share(
        "S4", BY_REST + "slot limit is named", int(slots["reading"] == "slot-limit"), 1, at_least=1
    )
    (total,) = answer["sums"]
    yield Row(
        number="S6",
        name=BY_REST + "bytes of the ledger, of those that were written",
        value=total["bytes"] / (moved * SAVES),
        n=total["count"],
        equals=1.0,
        within=0.01,
    )


def _pulled(
    people: "Cast", saves: Sequence["SavingTime"], *, since: datetime, until: datetime
) -> Any:
    """Serve the counters, pull them as the time comes, enter ratings; return what REST says."""
    from apps.telemetry.metrics.pulls import pull  # noqa: PLC0415  needs settings
    from tests.apps.telemetry.prometheus_server import World, serving  # noqa: PLC0415  the same
    from tests.cast.clients import member  # noqa: PLC0415  the same
    from tests.cast.metrics import HOSTS, source  # noqa: PLC0415  the same
    from tests.cast.storage_mounts import saving_hosts  # noqa: PLC0415  the same

    world = World()
    world.add("DCGM_FI_DEV_GPU_UTIL", 80.0, Hostname=HOSTS[0], gpu="0", UUID="GPU-1")
    saving_hosts(world, hosts=HOSTS, saves=saves)
    with serving(world) as url:
        made = source(people, url)
        now = since
        while now <= until:
            pull.pull_source(organization_id=people.operator.pk, source_id=made.pk, now=now)
            now += EVERY
    asking, path = _here(member(people.operator)), f"clusters/{people.cluster.slug}/storage-path/"
    for kind, value in (("save", RATED_BYTES_PER_SECOND), ("slots", SLOTS)):
        told = {"kind": kind, "value": value, "valid_from": "2025-01-01T00:00:00Z"}
        assert asking.post(f"{path}ratings/", told).status_code == 201
    answer = asking.get(path, since=since.isoformat(), until=until.isoformat())
    assert answer.status_code == 200, answer.content
    return answer.json()


def _here(asking: "Asking") -> "Asking":
    """Ask under a name that the portal answers to."""
    asking.client.defaults["SERVER_NAME"] = HOST
    return asking


def _near(phase: Any, begins: datetime) -> bool:
    """Say whether a save that was found is the one that begins then, both ends within a scrape."""
    starts_at, ends_at = (
        datetime.fromisoformat(phase[name]).astimezone(UTC) for name in ("starts_at", "ends_at")
    )
    off = (abs(starts_at - begins), abs(ends_at - begins - LASTS))
    return max(off) <= timedelta(seconds=SCRAPE_SECONDS) and phase["kind"] == "save"


def _found(phases: Sequence[Any], begins: Sequence[datetime]) -> int:
    return sum(any(_near(phase, at) for phase in phases) for at in begins)


def _real(phases: Sequence[Any], begins: Sequence[datetime]) -> int:
    return sum(any(_near(phase, at) for at in begins) for phase in phases)


def _share_of(answer: Any, denominator: str) -> float:
    (saves,) = [each for each in answer["shares"] if each["kind"] == "save"]
    (told,) = [each for each in saves["shares"] if each["denominator"] == denominator]
    return float(told["share"])


def _straggler_rows() -> Iterator[Row]:
    from django.utils import timezone  # noqa: PLC0415  needs settings

    from apps.telemetry.step_traces.trace_jobs import jobs_of  # noqa: PLC0415  the same
    from tests.cast import trace_files  # noqa: PLC0415  the same
    from tests.cast.clients import token  # noqa: PLC0415  the same
    from tests.cast.storage_world import build  # noqa: PLC0415  the same

    world = build(now=timezone.now())  # noqa: TID251  REST looks at the clock
    slow = [trace_files.slow_worker(seed) for seed in range(1, 4)]
    stages = [trace_files.slow_last_stage(seed) for seed in range(1, 4)]
    off = [
        _difference(_pushed(world, body), jobs_of([("t", body)])[0]) for body in (*slow, *stages)
    ]
    yield Row(
        number="E3",
        name=BY_REST + "S beside what the engine says of the same trace, the farthest",
        value=max(off),
        n=len(off),
        at_most=1e-9,
    )
    asking = _here(token(world.tenant))
    told = asking.get(f"sessions/{world.session.public_id}/stragglers/").json()
    named = [each for each in told["traces"] if each["worker"] is not None]
    right = [each for each in named if each["worker"]["rank"] == 0]
    yield share("E4", BY_REST + "slow workers are named", len(right), len(slow), at_least=1.0)
    other = len(stages) - (len(named) - len(right))
    yield share("E4", BY_REST + "of uneven stages none is named", other, len(stages), at_least=1.0)
    fleet = asking.get("stragglers/").json()["fleet"]
    worst = max(each["slowdown"] for each in told["traces"])
    yield Row(
        number="E5",
        name=BY_REST + "GPU-hours wasted of the one job, beside 1 - 1/S",
        value=fleet["wasted_share"] - (1 - 1 / worst),
        n=fleet["jobs"],
        equals=0.0,
        within=1e-9,
    )


def _pushed(world: "StorageWorld", body: bytes) -> Any:
    """Push a trace as a job does; return what the receiver says."""
    from django.test import Client  # noqa: PLC0415  needs settings

    from apps.tenancy.models import TokenScope  # noqa: PLC0415  the same
    from tests.cast import make  # noqa: PLC0415  the same

    secret = make.token(
        organization=world.tenant, scopes=[TokenScope.INGEST], clusters=[world.cluster]
    )
    answer = Client(SERVER_NAME=HOST).post(
        f"/api/v1/step-traces?session={world.session.name}",
        body,
        content_type="application/octet-stream",
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert answer.status_code == 200, answer.content
    return answer.json()


def _difference(told: Any, job: Any) -> float:
    return abs(float(told["slowdown"]) - float(job.found.slowdown))
