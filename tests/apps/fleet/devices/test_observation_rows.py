"""Stays as rows: late, double and reordered reports end alike, and never over a newer truth."""

import random
from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.db import connection

from apps.fleet.devices.related_observations import MOST_HOSTS
from apps.fleet.inventory import DeviceReport, NodeReport, record_devices
from apps.fleet.models import Cluster, Device, Node, ParticipationRole, Sighting
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.make import AT

HOUR = timedelta(hours=1)
Report = tuple[float, str, tuple[DeviceReport, ...]]


@pytest.fixture
def operator() -> Organization:
    return make.organization()


@pytest.fixture
def cluster(operator: Organization) -> Cluster:
    made = make.cluster()
    make.participation(organization=operator, cluster=made, part=ParticipationRole.OPERATOR)
    return made


def gpu(index: int, uuid: str, pci: str = "") -> DeviceReport:
    """Return a GPU as exporters label it."""
    return DeviceReport(kind="gpu", name="H100", index=index, uuid=f"GPU-{uuid}", pci=pci)


# A board replaced, another moved to the next host, and a reboot without one: hours, host, GPUs.
HISTORY: tuple[Report, ...] = (
    (0, "gpu017", (gpu(0, "a", "00000000:1B:00.0"), gpu(1, "b", "00000000:2B:00.0"))),
    (20, "gpu017", (gpu(0, "a", "00000000:1B:00.0"), gpu(1, "b", "00000000:2B:00.0"))),
    (30, "gpu017", (gpu(0, "b", "00000000:2B:00.0"),)),
    (40, "gpu017", (gpu(0, "c", "00000000:1B:00.0"), gpu(1, "b", "00000000:2B:00.0"))),
    (70, "gpu018", (gpu(0, "a", "00000000:1B:00.0"),)),
    (90, "gpu017", (gpu(0, "c", "00000000:1B:00.0"), gpu(1, "b", "00000000:2B:00.0"))),
)


def say(operator: Organization, cluster: Cluster, reports: Sequence[Report]) -> None:
    for hours, host, devices in reports:
        with organization_scope(operator.pk):
            record_devices(
                cluster=cluster,
                organization_id=operator.pk,
                nodes=[NodeReport(name=host, devices=devices)],
                now=AT + hours * HOUR,
            )


def placements(operator: Organization) -> list[tuple[object, ...]]:
    """Return host, index, UUID, address and the span in hours."""
    with organization_scope(operator.pk):
        rows = Device.objects.select_related("node").order_by("node__name", "first_seen_at", "uuid")
        return [
            (
                row.node.name,
                row.index,
                row.uuid,
                row.pci,
                (row.first_seen_at - AT) / HOUR,
                None if row.replaced_at is None else (row.replaced_at - AT) / HOUR,
            )
            for row in rows
        ]


EXPECTED = [
    ("gpu017", 0, "a", "0000:1b:00.0", 0, 30),
    ("gpu017", 1, "b", "0000:2b:00.0", 0, 30),
    ("gpu017", None, "a", "0000:1b:00.0", 30, 40),
    ("gpu017", 0, "b", "0000:2b:00.0", 30, 40),
    ("gpu017", 1, "b", "0000:2b:00.0", 40, None),
    ("gpu017", 0, "c", "0000:1b:00.0", 40, None),
    ("gpu018", 0, "a", "0000:1b:00.0", 70, None),
]


@pytest.mark.django_db
def test_a_history_told_in_order(operator: Organization, cluster: Cluster) -> None:
    say(operator, cluster, HISTORY)
    assert placements(operator) == EXPECTED


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(12))
def test_a_history_told_late_twice_and_in_any_order(
    operator: Organization, cluster: Cluster, seed: int
) -> None:
    reports = [*HISTORY, *HISTORY]
    random.Random(seed).shuffle(reports)  # noqa: S311  not for secrets
    say(operator, cluster, reports)
    assert placements(operator) == EXPECTED
    with organization_scope(operator.pk):
        node = Node.objects.get(name="gpu017")
        assert (node.first_seen_at, node.last_seen_at) == (AT, AT + 90 * HOUR)
        assert Sighting.objects.count() == 10


@pytest.mark.django_db
def test_what_goes_on_keeps_its_rows(operator: Organization, cluster: Cluster) -> None:
    say(operator, cluster, HISTORY[:1])
    with organization_scope(operator.pk):
        before = list(Device.objects.order_by("id").values_list("id", flat=True))
    say(operator, cluster, HISTORY[1:2])
    with organization_scope(operator.pk):
        after = Device.objects.order_by("id")
        assert [row.pk for row in after] == before
        assert {row.last_seen_at for row in after} == {AT + 20 * HOUR}


@pytest.mark.django_db
def test_nobody_else_sees_a_sighting(operator: Organization, cluster: Cluster) -> None:
    say(operator, cluster, HISTORY)
    with organization_scope(make.organization().pk):
        assert not Sighting.objects.exists()
        assert not Device.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(3))
def test_a_name_that_too_many_hosts_have_moves_no_board_whatever_the_order(
    operator: Organization, cluster: Cluster, seed: int
) -> None:
    board = DeviceReport(kind="gpu", index=0, serial="0")
    reports: list[Report] = [(float(3 * n), f"gpu{n:03d}", (board,)) for n in range(MOST_HOSTS + 1)]
    random.Random(seed).shuffle(reports)  # noqa: S311  not for secrets
    say(operator, cluster, reports[:-1])
    with organization_scope(operator.pk):
        assert Device.objects.filter(replaced_at=None, serial="0", index=0).count() == 1
    say(operator, cluster, reports[-1:])
    with organization_scope(operator.pk):
        assert Device.objects.filter(replaced_at=None, index=0).count() == MOST_HOSTS + 1


@pytest.mark.django_db
def test_two_organizations_of_a_cluster_hold_locks_of_their_own(
    operator: Organization, cluster: Cluster
) -> None:
    other = make.organization()
    say(operator, cluster, HISTORY[:1])
    say(other, cluster, HISTORY[:1])
    with connection.cursor() as cursor:
        # Other tests hold such locks at the same time, in databases of their own.
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = %s"
            " AND pid = pg_backend_pid()",
            [int(Lock.DEVICE_HISTORY)],
        )
        assert cursor.fetchone() == (2,)
