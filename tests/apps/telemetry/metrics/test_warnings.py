"""Findings of several families on one part are a warning, kept as it was raised."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import connection

from apps.diagnosis.model import Anomaly, Device, Layer, Role
from apps.fleet.models import Node
from apps.telemetry.metrics import anomaly_rows, warning_access
from apps.telemetry.metrics import warnings as episodes
from apps.telemetry.models import Anomaly as AnomalyRow
from apps.telemetry.models import EarlyWarning, Source
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.metrics import HOSTS, NOW, Cast, cast, source

pytestmark = pytest.mark.django_db

GPU = Device(kind="gpu", host=HOSTS[2], index=3, pci="0000:83:00.0")
CLOCK = Anomaly(
    kind="peer-deviation",
    signal="gpu.clock",
    family="gpu-clock",
    layer=Layer.GPU,
    entity=GPU,
    starts_at=NOW - timedelta(minutes=40),
    ends_at=NOW - timedelta(minutes=10),
    noticed_at=NOW - timedelta(minutes=36),
    score=-11.0,
    value=1.1e9,
    baseline=1.9e9,
    unit="Hz",
    role=Role.INITIATING,
    causes=("gpu-throttling",),
    resolution_seconds=30.0,
)
HEAT = replace(
    CLOCK,
    signal="gpu.temperature",
    family="gpu-temperature",
    starts_at=NOW - timedelta(minutes=39),
    noticed_at=NOW - timedelta(minutes=35),
    score=12.0,
    value=92.0,
    baseline=64.0,
    unit="°C",
)


@pytest.fixture
def people() -> Cast:
    """Who takes part; the operator's eight hosts are known."""
    found = cast()
    with organization_scope(found.operator.id):
        for host in HOSTS:
            Node.objects.create(
                organization=found.operator,
                cluster=found.cluster,
                name=host,
                first_seen_at=NOW,
                last_seen_at=NOW,
            )
    return found


@pytest.fixture
def made(people: Cast) -> Source:
    """A source of the operator."""
    return source(people, "http://127.0.0.1:1")


def notice(made: Source, *found: Anomaly, now: datetime = NOW) -> Sequence[EarlyWarning]:
    """Store findings, fuse, and return all episodes of the owner by their start."""
    with organization_scope(made.organization_id):
        anomaly_rows.write_anomalies(source=made, anomalies=found, now=now)
        episodes.fuse_source(organization_id=made.organization_id, source_id=made.pk, now=now)
        return list(EarlyWarning.objects.order_by("starts_at", "id"))


def warnings(found: Sequence[EarlyWarning]) -> list[EarlyWarning]:
    """Return those with two families or more."""
    return [each for each in found if each.is_page]


def reader(organization: Organization) -> Actor:
    """Return somebody who may read."""
    return Actor(organization=organization, rights=frozenset({Right.READ}))


def test_two_families_on_one_gpu_are_one_warning_with_both_named(made: Source) -> None:
    (warning,) = warnings(notice(made, CLOCK, HEAT))
    assert warning.entity["host"] == HOSTS[2]
    assert warning.layer == "gpu"
    assert set(warning.families) == {"gpu-clock", "gpu-temperature"}
    assert warning.raised_at >= NOW - timedelta(minutes=35)
    assert {each["unit"] for each in warning.contributions} == {"Hz", "°C"}


def test_a_warning_lasts_as_long_as_its_findings_and_not_as_long_as_it_is_news(
    made: Source,
) -> None:
    (warning,) = warnings(notice(made, CLOCK, HEAT))
    assert warning.ends_at == CLOCK.ends_at


def test_a_warning_whose_findings_were_just_seen_goes_on(made: Source) -> None:
    going = [replace(each, ends_at=NOW - timedelta(minutes=1)) for each in (CLOCK, HEAT)]
    (warning,) = warnings(notice(made, *going))
    assert warning.ends_at is None


def test_one_family_alone_is_no_warning(made: Source) -> None:
    assert not warnings(notice(made, CLOCK))


def test_fusing_again_changes_nothing(made: Source) -> None:
    first = warnings(notice(made, CLOCK, HEAT))
    again = warnings(notice(made, now=NOW + timedelta(minutes=2)))
    assert [each.public_id for each in again] == [each.public_id for each in first]
    assert [each.raised_at for each in again] == [each.raised_at for each in first]


def test_a_warning_that_is_a_day_old_stays_as_it_was_told(made: Source) -> None:
    (first,) = warnings(notice(made, CLOCK, HEAT))
    (later,) = warnings(notice(made, now=NOW + timedelta(days=2)))
    assert (later.public_id, later.withdrawn_at) == (first.public_id, None)


def test_a_warning_that_its_findings_do_not_bear_out_is_withdrawn(made: Source) -> None:
    (warning,) = warnings(notice(made, CLOCK, HEAT))
    with organization_scope(made.organization_id):
        AnomalyRow.objects.all().delete()
    (later,) = warnings(notice(made, now=NOW + timedelta(minutes=1)))
    assert later.public_id == warning.public_id
    assert later.withdrawn_at == NOW + timedelta(minutes=1)


def test_findings_come_back_with_the_instant_they_were_noticed(made: Source) -> None:
    notice(made, replace(CLOCK, hosts=("gpu003",)))
    with organization_scope(made.organization_id):
        (row,) = AnomalyRow.objects.all()
        assert anomaly_rows.anomaly_of(row=row).noticed_at == CLOCK.noticed_at
        assert anomaly_rows.anomaly_of(row=row).hosts == ("gpu003",)


def test_warnings_before_a_failure_are_those_on_its_culprit(people: Cast, made: Source) -> None:
    (warning,) = warnings(notice(made, CLOCK, HEAT))

    def before(organization: Organization, host: str) -> list[EarlyWarning]:
        with organization_scope(organization.id):
            return warning_access.warnings_before(
                actor=reader(organization),
                cluster_id=people.cluster.id,
                parts=[{"kind": "gpu", "host": host}],
                failed_at=NOW,
            )

    assert [each.public_id for each in before(people.operator, HOSTS[2])] == [warning.public_id]
    assert before(people.operator, HOSTS[3]) == []
    assert before(people.outsider, HOSTS[2]) == []


def test_an_outsider_sees_no_episode(people: Cast, made: Source) -> None:
    notice(made, CLOCK, HEAT)
    with organization_scope(people.outsider.id):
        assert not warning_access.access_episodes(actor=reader(people.outsider)).exists()
        assert not EarlyWarning.objects.exists()


def _locks() -> set[tuple[int, int]]:
    """Return the advisory locks that this transaction holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT classid, objid FROM pg_locks"
            " WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
        )
        return set(cursor.fetchall())


def test_no_organization_waits_for_the_warnings_of_another(people: Cast) -> None:
    held = []
    for owner in (people.operator, people.outsider, people.operator):
        with organization_scope(owner.id):
            episodes.fuse_cluster(organization_id=owner.id, cluster_id=people.cluster.id, now=NOW)
        held.append(_locks())
    own, others, again = held
    assert len(others - own) == 1
    assert again == others
