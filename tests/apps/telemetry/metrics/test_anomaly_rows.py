"""Findings become rows once, and come back as the values that diagnosis knows."""

from dataclasses import replace
from datetime import timedelta

import pytest

from apps.diagnosis.model import Anomaly
from apps.telemetry.metrics import anomaly_rows
from apps.telemetry.models import TouchedWindow
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.metrics.metrics_server import SERVER, XID
from tests.cast.metrics import NOW, Cast, anomalies, cast, source

pytestmark = pytest.mark.django_db

REPLAYS = replace(
    XID,
    signal="gpu.pcie.replays",
    family="pcie",
    unit="packets",
    detail="",
    value=5.0,
    baseline=10.0,
)


@pytest.fixture
def people() -> Cast:
    """Who takes part."""
    return cast()


def store(people: Cast, *found: Anomaly) -> list[Anomaly]:
    """Write findings as the operator's source; return the new ones."""
    made = source(people, "http://127.0.0.1:1")
    with organization_scope(people.operator.id):
        return anomaly_rows.write_anomalies(source=made, anomalies=found, now=NOW)


def read(people: Cast, *hosts: str) -> list[Anomaly]:
    """Read back what was noticed around NOW."""
    with organization_scope(people.operator.id):
        stored = anomaly_rows.anomalies_between(
            organization_ids=[people.operator.id, people.outsider.id],
            cluster_id=people.cluster.id,
            hosts=hosts,
            starts_at=NOW - timedelta(minutes=10),
            ends_at=NOW + timedelta(minutes=5),
        )
    return [replace(each.anomaly, source="metrics") for each in stored]


def test_stored_and_read_back_is_the_same_value(people: Cast) -> None:
    store(people, XID, SERVER)
    assert sorted(read(people, "gpu001"), key=lambda each: each.kind) == [XID, SERVER]


def test_shared_parts_are_read_for_every_host_and_hosts_only_for_themselves(people: Cast) -> None:
    store(people, XID, SERVER)
    assert read(people, "gpu002") == [SERVER]


def test_what_lies_outside_the_span_is_not_read(people: Cast) -> None:
    store(people, replace(XID, starts_at=NOW - timedelta(hours=1)))
    assert read(people, "gpu001") == []


def test_an_episode_that_reaches_into_the_span_is_read(people: Cast) -> None:
    long = replace(SERVER, starts_at=NOW - timedelta(hours=1))
    store(people, long)
    assert read(people, "gpu001") == [long]


def test_growth_that_goes_on_is_counted_from_the_first_baseline(people: Cast) -> None:
    made = source(people, "http://127.0.0.1:1")
    later = replace(REPLAYS, starts_at=NOW + timedelta(minutes=4), baseline=15.0, value=2.0)
    with organization_scope(people.operator.id):
        assert anomaly_rows.write_anomalies(source=made, anomalies=[REPLAYS], now=NOW) == [REPLAYS]
        assert anomaly_rows.write_anomalies(source=made, anomalies=[later], now=NOW) == []
    (row,) = anomalies(people)
    assert (row.baseline, row.value, row.starts_at) == (10.0, 7.0, NOW)


def test_a_trickle_that_goes_on_is_one_row_with_its_growth_so_far(people: Cast) -> None:
    made = source(people, "http://127.0.0.1:1")
    slow = replace(REPLAYS, kind="trickle", baseline=0.0, value=12.0, ends_at=NOW)
    later = replace(slow, value=24.0, ends_at=NOW + timedelta(hours=3))
    with organization_scope(people.operator.id):
        assert anomaly_rows.write_anomalies(source=made, anomalies=[slow], now=NOW) == [slow]
        assert anomaly_rows.write_anomalies(source=made, anomalies=[later], now=NOW) == []
    (row,) = anomalies(people)
    assert (row.value, row.ends_at) == (24.0, later.ends_at)


def test_same_fault_an_hour_later_is_a_new_episode(people: Cast) -> None:
    made = source(people, "http://127.0.0.1:1")
    with organization_scope(people.operator.id):
        for hours in (0, 1):
            again = replace(XID, starts_at=NOW + timedelta(hours=hours))
            anomaly_rows.write_anomalies(source=made, anomalies=[again], now=NOW)
    assert len(anomalies(people)) == 2


def test_windows_are_one_per_host_and_stretch_of_time(people: Cast) -> None:
    store(
        people,
        XID,
        replace(REPLAYS, starts_at=NOW - timedelta(minutes=3)),
        replace(XID, starts_at=NOW - timedelta(hours=3)),
        SERVER,
    )
    with organization_scope(people.operator.id):
        rows = TouchedWindow.objects.order_by("host", "starts_at")
        windows = [(row.host, row.mount, row.starts_at, row.ends_at) for row in rows]
    early = NOW - timedelta(hours=3)
    assert windows == [
        ("", "nas1:/ckpt", NOW, SERVER.ends_at),
        ("gpu001", "", early, early),
        ("gpu001", "", NOW - timedelta(minutes=3), NOW),
    ]
