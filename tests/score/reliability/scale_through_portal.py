"""S5 through the portal: runs of 2 to 60 nodes save, counters are pulled, and REST is read."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from tests.score.reliability.row import Row, share

if TYPE_CHECKING:
    from tests.cast.metrics import Cast

COUNTS: Final = (2, 4, 8, 16, 32, 60)
EVERY, LASTS = timedelta(minutes=25), timedelta(seconds=590)
NODE_RATE: Final = 2e9  # of one node that has the path for itself
SHARED_RATE: Final = 40e9  # what the path carries of all nodes together
CARRIED: Final = {"a path that all share": SHARED_RATE, "a path that scales": 1e15}


def scale_rows(by_rest: str) -> Iterator[Row]:
    """Yield what is said of a path that all nodes share, and of one that scales."""
    for name, carried in CARRIED.items():
        (told,) = [each for each in _answer(carried) if each["metric"] == "write-rate"]
        is_right = told["flagged"] is (carried == SHARED_RATE)
        yield share("S5", f"{by_rest}{name} is told as that", int(is_right), 1, at_least=1.0)
        yield Row(
            number="S5",
            name=f"{by_rest}{name}: what a node has less of at 60 than at 4, share",
            value=told["degraded_share"],
            n=len(COUNTS),
            equals=1 - min(NODE_RATE, carried / 60) / NODE_RATE,
            within=0.05,
        )


def _answer(carried: float) -> Any:
    """Serve the counters of the runs, pull them as the time comes; return what REST says."""
    from apps.telemetry.metrics.pulls import pull  # noqa: PLC0415  needs settings
    from tests.apps.telemetry.prometheus_server import World, serving  # noqa: PLC0415  the same
    from tests.cast.clients import member  # noqa: PLC0415  the same
    from tests.cast.metrics import NOW, cast, source  # noqa: PLC0415  the same

    people = cast()
    begins = [NOW - EVERY * (len(COUNTS) - at) for at in range(len(COUNTS))]
    world = World()
    _runs(people, world, begins, carried)
    now = begins[0] - EVERY
    with serving(world) as url:
        made = source(people, url)
        while now <= NOW:
            pull.pull_source(organization_id=people.operator.pk, source_id=made.pk, now=now)
            now += EVERY
    asking = member(people.operator)
    asking.client.defaults["SERVER_NAME"] = "127.0.0.1"
    answer = asking.get(
        f"clusters/{people.cluster.slug}/storage-path/",
        since=(begins[0] - EVERY).isoformat(),
        until=NOW.isoformat(),
        scale="true",
    )
    assert answer.status_code == 200, answer.content
    return answer.json()["scale"]


def _runs(people: "Cast", world: Any, begins: list[datetime], carried: float) -> None:
    """Let one run after the other save on the first of 60 hosts."""
    from tests.cast.storage_mounts import SavingTime, saving_hosts  # noqa: PLC0415  needs settings

    hosts = [f"gpu{number:03}" for number in range(1, COUNTS[-1] + 1)]
    saves: dict[str, list[SavingTime]] = {host: [] for host in hosts}
    for count, at in zip(COUNTS, begins, strict=True):
        _run(people, hosts[:count], at)
        save = SavingTime(
            begins=at.timestamp(),
            ends=(at + LASTS).timestamp(),
            bytes_per_second=min(NODE_RATE, carried / count),
        )
        for host in hosts[:count]:
            saves[host].append(save)
    for host in hosts:
        saving_hosts(world, hosts=[host], saves=saves[host])


def _run(people: "Cast", hosts: list[str], at: datetime) -> None:
    from apps.fleet.models import Attempt, Session, SessionParty  # noqa: PLC0415  needs settings
    from apps.tenancy.scope import organization_scope  # noqa: PLC0415  the same

    with organization_scope(people.outsider.id, people.operator.id):
        session = Session.objects.create(
            organization=people.outsider,
            public_id=f"SES-{people.cluster.pk}-{len(hosts)}",
            cluster=people.cluster,
            name=f"solar-{len(hosts)}",
            created_at=at,
        )
        for party in (people.outsider, people.operator):
            SessionParty.objects.create(organization=party, session=session)
        Attempt.objects.create(
            organization=people.outsider,
            session=session,
            hosts=hosts,
            hosts_asserted=True,
            started_at=at - timedelta(minutes=1),
            ended_at=at + EVERY - timedelta(minutes=2),
        )
