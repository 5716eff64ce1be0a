"""One pull: claims, reads, writes once, and keeps the trouble of a source to itself."""

import time
from datetime import timedelta
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest
from django.db import connection

from apps.diagnosis.model import PeerGroup
from apps.fleet.models import Device, Node
from apps.telemetry.metrics import detector_memory, peer_groups, series_index_cache
from apps.telemetry.metrics.pulls import block_reading, pull, pull_schedule, read_spans
from apps.telemetry.models import Anomaly, SeriesState, TouchedWindow
from apps.tenancy.credentials import seal
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import Row, Sample, World, serving
from tests.cast.metrics import (
    HOSTS,
    NOW,
    Cast,
    anomalies,
    attempt,
    cast,
    reloaded,
    since,
    source,
)

pytestmark = pytest.mark.django_db

CANARY = "canary-of-a-source"
GPU = {"Hostname": HOSTS[2], "gpu": "1", "UUID": "GPU-21", "pci_bus_id": "00000000:83:00.0"}


@pytest.fixture
def people() -> Cast:
    """Who takes part."""
    return cast()


def test_first_contact_finds_what_happened_hours_ago(people: Cast, world: World) -> None:
    world.add("DCGM_FI_DEV_XID_ERRORS", since(4 * 3600, 79.0), **GPU)
    with serving(world) as url:
        made = source(people, url)
        pulled = pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    (anomaly,) = anomalies(people)
    assert (pulled.state, pulled.new_count) == ("fresh", 1)
    assert anomaly.causes == ["gpu-off-bus"]
    assert (anomaly.host, anomaly.entity["index"], anomaly.entity["pci"]) == (
        HOSTS[2],
        1,
        "0000:83:00.0",
    )
    assert abs(anomaly.starts_at - (NOW - timedelta(hours=4))) <= timedelta(seconds=60)


def test_source_row_says_fresh_with_time_and_count(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    row = reloaded(made)
    assert (row.state, row.last_success_at, row.last_error) == ("fresh", NOW, "")
    assert row.series_count == 8 + 3 * 32
    assert row.claimed_until is None
    assert row.read_until is not None
    assert NOW - row.read_until <= timedelta(seconds=60)


def test_pulling_again_and_again_writes_each_fact_once(people: Cast, world: World) -> None:
    world.add("DCGM_FI_DEV_XID_ERRORS", since(300, 79.0), **GPU)
    world.add("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", since(330, 12.0), **GPU)
    with serving(world) as url:
        made = source(people, url)
        for seconds in (0, 30, 60, 90):
            pull.pull_source(
                organization_id=people.operator.id,
                source_id=made.pk,
                now=NOW + timedelta(seconds=seconds),
            )
    assert sorted(each.signal for each in anomalies(people)) == ["gpu.pcie.replays", "gpu.xid"]


def test_touched_windows_name_the_host_and_only_for_new_facts(people: Cast, world: World) -> None:
    world.add("DCGM_FI_DEV_XID_ERRORS", since(300, 79.0), **GPU)
    with serving(world) as url:
        made = source(people, url)
        for seconds in (0, 30):
            pull.pull_source(
                organization_id=people.operator.id,
                source_id=made.pk,
                now=NOW + timedelta(seconds=seconds),
            )
    with organization_scope(people.operator.id):
        (window,) = TouchedWindow.objects.order_by("id")
    assert (window.host, window.cluster_id) == (HOSTS[2], people.cluster.id)


def test_second_pull_reads_on_from_the_cursor_at_the_finer_step(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url)
        for seconds in (0, 30):
            now = NOW + timedelta(seconds=seconds)
            pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=now)
    asked = [
        (float(form["end"]) - float(form["start"]), form["step"])
        for path, form in world.asked
        if path.endswith("query_range")
    ]
    assert max(span for span, step in asked if step == "60") <= 7 * 3600
    assert max(span for span, step in asked if step == "30") <= 700


def test_growth_while_nobody_looked_is_found_from_the_carried_value(
    people: Cast, world: World
) -> None:
    edge = NOW.timestamp()
    world.add(
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
        # The exporter is silent for twenty minutes and comes back with one more error.
        lambda at: np.where(at < edge, 3.0, np.where(at < edge + 1200, np.nan, 4.0)),
        **GPU,
    )
    with serving(world) as url:
        made = source(people, url)
        for minutes in (0, 5, 10, 15, 19, 20.5, 21):
            pull.pull_source(
                organization_id=people.operator.id,
                source_id=made.pk,
                now=NOW + timedelta(minutes=minutes),
            )
    (anomaly,) = anomalies(people)
    assert (anomaly.signal, anomaly.value, anomaly.baseline) == ("gpu.ecc.uncorrectable", 1.0, 3.0)


def test_slow_gpu_is_compared_with_its_session(people: Cast, world: World) -> None:
    attempt(people)
    world.rows = [row for row in world.rows if row.labels.get("UUID") != "GPU-21"]
    world.add("DCGM_FI_DEV_SM_CLOCK", since(3600, 900.0, before=1901.0), **GPU)
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    (anomaly,) = anomalies(people)
    assert (anomaly.kind, anomaly.host, anomaly.entity["index"]) == ("peer-deviation", HOSTS[2], 1)


def test_an_episode_that_goes_on_stays_one_row(people: Cast, world: World) -> None:
    attempt(people)
    world.add("DCGM_FI_DEV_THERMAL_VIOLATION", lambda at: at * 0.5e9, **GPU)
    for other in range(3):
        labels = GPU | {"UUID": f"GPU-x{other}", "gpu": str(2 + other), "Hostname": HOSTS[other]}
        world.add("DCGM_FI_DEV_THERMAL_VIOLATION", 0.0, **labels)
    with serving(world) as url:
        made = source(people, url)
        for minutes in (0, 5, 10, 15, 20):
            pull.pull_source(
                organization_id=people.operator.id,
                source_id=made.pk,
                now=NOW + timedelta(minutes=minutes),
            )
    (anomaly,) = anomalies(people)
    assert anomaly.ends_at is not None
    assert anomaly.ends_at > NOW + timedelta(minutes=18)


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_the_network_is_read(world: World) -> None:
    people = cast()
    states: list[str] = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (puller,) = cursor.fetchone()

    def look(_handler: Any) -> bool:
        # The server answers in a thread of its own, over a connection of its own.
        with connection.cursor() as cursor:
            cursor.execute("SELECT state FROM pg_stat_activity WHERE pid = %s", [puller])
            states.append(cursor.fetchone()[0])
        connection.close()
        return False

    world.broken = look
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert set(states) == {"idle"}


def test_broken_source_is_stale_with_its_reason_and_breaks_no_other(
    people: Cast, world: World
) -> None:
    with serving(world) as url, serving(World()) as gone:
        well = source(people, url, name="well")
        ill = source(people, gone, name="ill")
    with serving(world) as url:
        with organization_scope(people.operator.id):
            type(well).objects.filter(id=well.pk).update(url=url)
        for made in (ill, well):
            pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert reloaded(well).state == "fresh"
    row = reloaded(ill)
    assert (row.state, row.failure_count, row.last_success_at) == ("stale", 1, None)
    assert "no answer within 10 s" in row.last_error
    assert row.read_until is None


def test_empty_server_is_not_shown_as_healthy(people: Cast) -> None:
    with serving(World()) as url:
        made = source(people, url)
        pulled = pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert pulled.state == "stale"
    assert "no samples within the last hour" in reloaded(made).last_error


def test_circuit_opens_for_longer_and_closes_after_success(people: Cast, world: World) -> None:
    with serving(world) as url:
        pass
    made = source(people, url)
    tried = [
        pull.pull_source(
            organization_id=people.operator.id,
            source_id=made.pk,
            now=NOW + timedelta(seconds=seconds),
        ).state
        for seconds in (0, 15, 30, 60, 90)
    ]
    assert tried == ["stale", "skipped", "stale", "skipped", "stale"]
    with serving(world) as url:
        with organization_scope(people.operator.id):
            type(made).objects.filter(id=made.pk).update(url=url)
        later = NOW + timedelta(minutes=10)
        pulled = pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=later)
    assert (pulled.state, reloaded(made).failure_count) == ("fresh", 0)


def test_pause_never_exceeds_five_minutes() -> None:
    assert [pull_schedule.pause_after(failures=n).seconds for n in (1, 2, 3, 4, 5, 50)] == [
        30, 60, 120, 240, 300, 300,
    ]  # fmt: skip


def test_a_running_pull_is_not_joined_by_a_second(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url, claimed_until=NOW + timedelta(seconds=60))
        pulled = pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert pulled.state == "skipped"
    assert world.asked == []


def test_a_dead_pulls_claim_runs_out(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url, claimed_until=NOW - timedelta(seconds=1))
        pulled = pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert pulled.state == "fresh"


def test_another_organization_can_neither_pull_nor_see(people: Cast, world: World) -> None:
    world.add("DCGM_FI_DEV_XID_ERRORS", since(300, 79.0), **GPU)
    with serving(world) as url:
        made = source(people, url)
        other = pull.pull_source(organization_id=people.outsider.id, source_id=made.pk, now=NOW)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert other.state == "skipped"
    with organization_scope(people.outsider.id):
        assert not Anomaly.objects.exists()
        assert not SeriesState.objects.exists()


def test_secret_is_unsealed_for_the_wire_and_nowhere_else(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url, auth="bearer", credential=seal(secret=CANARY))
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert world.headers[0]["Authorization"] == f"Bearer {CANARY}"
    with organization_scope(people.operator.id), connection.cursor() as cursor:
        cursor.execute("SELECT s::text FROM telemetry_source s")
        assert CANARY not in str(cursor.fetchall())


def test_due_sources_are_listed_oldest_first(people: Cast, world: World) -> None:
    with serving(world) as url:
        old = source(people, url, name="old", last_attempt_at=NOW - timedelta(minutes=5))
        new = source(people, url, name="new", last_attempt_at=NOW - timedelta(minutes=1))
        source(people, url, name="off", is_enabled=False)
    with organization_scope(people.operator.id):
        found = pull_schedule.due_source_ids(organization_id=people.operator.id, now=NOW)
    assert found == [old.pk, new.pk]


def test_after_an_outage_the_gap_is_read_once_up_to_the_limit() -> None:
    short = read_spans.span_to_read(until=NOW - timedelta(hours=2), now=NOW)
    long = read_spans.span_to_read(until=NOW - timedelta(days=3), now=NOW)
    assert short.start == (NOW - timedelta(hours=2)).timestamp() + 60
    assert long.start == pytest.approx((NOW - timedelta(hours=7)).timestamp(), abs=60)


def test_hosts_and_gpus_are_taken_from_labels_once(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url)
        for seconds in (0, 30):
            now = NOW + timedelta(seconds=seconds)
            pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=now)
    with organization_scope(people.operator.id):
        assert Node.objects.count() == 8
        gpus = Device.objects.filter(node__name=HOSTS[2]).order_by("index")
        assert [(gpu.index, gpu.uuid) for gpu in gpus] == [(n, f"2{n}") for n in range(4)]
        assert NOW - timedelta(minutes=1) <= gpus[0].last_seen_at <= NOW


def with_outage(sample: Sample) -> Sample:
    """Return the same, silent from ten minutes to two hours after NOW."""
    starts_at, ends_at = NOW.timestamp() + 600, NOW.timestamp() + 7200
    return lambda at: np.where((at > starts_at) & (at < ends_at), np.nan, sample(at))


def test_gap_after_an_outage_is_read_once_and_is_no_fault_itself(
    people: Cast, world: World
) -> None:
    present = world.rows
    world.rows = [Row(labels=row.labels, value=with_outage(row.value)) for row in present]
    world.add("DCGM_FI_DEV_XID_ERRORS", since(-3600, 79.0), **GPU)
    with serving(world) as url:
        made = source(people, url)
        for minutes in (0, 125, 126):
            pull.pull_source(
                organization_id=people.operator.id,
                source_id=made.pk,
                now=NOW + timedelta(minutes=minutes),
            )
    assert [each.signal for each in anomalies(people)] == ["gpu.xid"]


def test_blank_values_and_infinities_are_no_findings(people: Cast, world: World) -> None:
    attempt(people)
    for metric in ("DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"):
        for host in HOSTS:
            world.add(metric, 9223372036854775794.0, Hostname=host, gpu="0")
            world.add(metric, since(3600, np.inf, before=1.0), Hostname=host, gpu="1")
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert anomalies(people) == []


@pytest.mark.django_db(transaction=True)
def test_second_puller_that_comes_in_the_middle_leaves(world: World) -> None:
    people = cast()
    others: list[str] = []
    with serving(world) as url:
        made = source(people, url)

        def come_in(_handler: Any) -> bool:
            # Another worker, over its own connection, while the first one reads.
            pulled = pull.pull_source(
                organization_id=people.operator.id, source_id=made.pk, now=NOW
            )
            others.append(pulled.state)
            connection.close()
            return False

        world.broken = come_in
        first = pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert first.state == "fresh"
    assert set(others) == {"skipped"}


def test_session_whose_end_nobody_told_ends_where_the_next_begins() -> None:
    one = PeerGroup(name="attempt 1", hosts=HOSTS[:4], starts_at=NOW)
    two = PeerGroup(name="attempt 2", hosts=HOSTS[3:], starts_at=NOW + timedelta(hours=1))
    other = PeerGroup(name="attempt 3", hosts=("gpu999",), starts_at=NOW + timedelta(minutes=1))
    groups = [one, two, other]
    ends = [peer_groups.until_relieved(group=group, groups=groups).ends_at for group in groups]
    assert ends == [two.starts_at, None, None]


def test_scrape_addresses_are_joined_with_the_hosts_they_belong_to(people: Cast) -> None:
    world = World()
    # Two of them say their name, the third stands in the operator's alias table, one is unknown.
    for number, host in enumerate(HOSTS[:2]):
        world.add("node_uname_info", 1.0, instance=f"10.0.0.{number}:9100", nodename=host)
    for number in range(4):
        instance = f"10.0.0.{number}:9100"
        world.add("node_vmstat_oom_kill", since(600, 1.0 + number), instance=instance)
    with organization_scope(people.operator.id):
        Node.objects.bulk_create(
            Node(
                organization=people.operator,
                cluster=people.cluster,
                name=host,
                aliases=[f"10.0.0.{number}"] if number == 2 else [],
                first_seen_at=NOW,
                last_seen_at=NOW,
            )
            for number, host in enumerate(HOSTS)
        )
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    assert {each.host for each in anomalies(people)} == {*HOSTS[:3], "10.0.0.3"}
    with organization_scope(people.operator.id):
        assert Node.objects.count() == len(HOSTS)


def forget() -> None:
    """Do as another process that has nothing at hand."""
    detector_memory._at_hand.clear()
    series_index_cache.forget()


def ranges(world: World) -> list[tuple[float, float]]:
    """Return what range queries asked for, from and to."""
    return [
        (float(form["start"]), float(form["end"]))
        for path, form in world.asked
        if path.endswith("query_range") and form["query"] != "node_uname_info"
    ]


def pull_at(people: Cast, made: Any, minutes: float) -> pull.PullResult:
    """Pull a source some minutes after NOW."""
    now = NOW + timedelta(minutes=minutes)
    return pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=now)


def test_each_instant_is_read_once_by_whatever_process(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url)
        pull_at(people, made, 0)
        world.asked.clear()
        for minutes in (0.5, 1, 1.5, 2):
            forget()
            pull_at(people, made, minutes)
    read = [at for start, end in ranges(world) for at in np.arange(start, end + 1, 30.0)]
    assert len(read) == len(set(read))
    assert sorted(read) == list(np.arange(min(read), max(read) + 1, 30.0))


def test_a_big_memory_is_stored_now_and_then_and_the_minutes_since_are_read_again(
    people: Cast, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detector_memory, "SMALL_ROWS", 0)
    world.add("DCGM_FI_DEV_XID_ERRORS", since(-90, 79.0), **GPU)
    with serving(world) as url:
        made = source(people, url)
        for minutes in (0, 1, 2, 3):
            pull_at(people, made, minutes)
        with organization_scope(people.operator.id):
            stored = SeriesState.objects.get(signal=detector_memory.NAME)
        assert stored.until < NOW
        assert reloaded(made).read_until == NOW + timedelta(minutes=2.5)
        forget()
        world.asked.clear()
        pull_at(people, made, 3.5)
    assert min(start for start, _ in ranges(world)) == stored.until.timestamp() + 30
    assert [each.signal for each in anomalies(people)] == ["gpu.xid"]


def test_damaged_memory_is_begun_anew(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url)
        pull_at(people, made, 0)
        with organization_scope(people.operator.id):
            SeriesState.objects.filter(signal=detector_memory.NAME).update(body=b"garbage")
        forget()
        assert pull_at(people, made, 1).state == "fresh"


def test_long_spans_are_taken_in_blocks_and_go_on_with_the_next_pull(
    people: Cast, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_spans, "BLOCK_VALUES", 104 * 50)
    monkeypatch.setattr(block_reading, "BACKFILL_SECONDS", 0.0)
    world.add("DCGM_FI_DEV_XID_ERRORS", since(300, 79.0), **GPU)
    with serving(world) as url:
        made = source(people, url)
        pulled = pull_at(people, made, 0)
        row = reloaded(made)
        assert pulled.state == "fresh"
        assert "behind" in row.last_error
        assert row.read_until is not None
        assert row.read_until < NOW - timedelta(hours=1)
        assert anomalies(people) == []
        monkeypatch.setattr(block_reading, "BACKFILL_SECONDS", 60.0)
        pull_at(people, made, 1)
    assert reloaded(made).last_error == ""
    assert [each.signal for each in anomalies(people)] == ["gpu.xid"]


def test_series_beyond_the_budget_are_left_out_by_name_facts_last(
    people: Cast, world: World, settings: Any
) -> None:
    settings.PORTAL_PULL_SERIES = 70
    world.add("DCGM_FI_DEV_XID_ERRORS", since(300, 79.0), **GPU)
    with serving(world) as url:
        made = source(people, url)
        pull_at(people, made, 0)
    row = reloaded(made)
    assert row.state == "fresh"
    assert row.series_count is not None
    assert row.series_count <= 70
    assert "left out by its limits: gpu." in row.last_error
    assert "gpu.xid" not in row.last_error
    assert [each.signal for each in anomalies(people)] == ["gpu.xid"]


def test_names_that_the_catalog_does_not_know_are_read_too(people: Cast, world: World) -> None:
    for host in HOSTS:
        for cpu in range(3):
            world.add("vendor_fan_speed_rpm", 4000.0, instance=f"{host}:9999", cpu=str(cpu))
    with serving(world) as url:
        made = source(people, url)
        pull_at(people, made, 0)
    assert reloaded(made).series_count == 8 + 3 * 32 + 24
    assert any("vendor_fan_speed_rpm" in form.get("query", "") for _, form in world.asked)


def until(edge: float, sample: Sample) -> Sample:
    """Return the same, and nothing after an instant."""
    return lambda at: np.where(at > edge, np.nan, sample(at))


def set_clock(world: World, seconds_ahead: float) -> None:
    """Let a server's clock be wrong."""

    def answer(handler: Any) -> bool:
        stamp = time.time() + seconds_ahead
        handler.date_time_string = lambda: formatdate(stamp, usegmt=True)
        return False

    world.broken = answer


def test_source_with_a_wrong_clock_is_read_by_its_own_time_and_told_so(
    people: Cast, world: World
) -> None:
    attempt(people)
    # Nothing is newer than the server's own clock: read by ours, all would be silent.
    edge = NOW.timestamp() - 1800
    world.rows = [Row(labels=row.labels, value=until(edge, row.value)) for row in world.rows]
    set_clock(world, -1800)
    with serving(world) as url:
        made = source(people, url)
        pull_at(people, made, 0)
    row = reloaded(made)
    assert row.state == "fresh"
    assert "its clock is 30 min behind ours" in row.last_error
    assert anomalies(people) == []


def test_clock_that_jumps_and_is_set_back_makes_no_finding(people: Cast, world: World) -> None:
    attempt(people)
    with serving(world) as url:
        made = source(people, url)
        pull_at(people, made, 0)
        set_clock(world, 3 * 3600)
        pull_at(people, made, 1)
        assert "its clock is 3 h ahead of ours" in reloaded(made).last_error
        ahead = reloaded(made).read_until
        set_clock(world, 0)
        pull_at(people, made, 2)
        row = reloaded(made)
        assert "set back" in row.last_error
        pull_at(people, made, 3)
    assert ahead is not None
    assert row.read_until is not None
    assert row.read_until < NOW + timedelta(minutes=2) < ahead
    assert reloaded(made).last_error == ""
    assert anomalies(people) == []


@pytest.mark.parametrize(("phase", "held_back"), [(13, 0), (0, 30), (13, 30), (29, 30), (13, 75)])
def test_a_server_that_holds_back_the_newest_is_asked_for_what_it_has(
    people: Cast, world: World, phase: int, held_back: int
) -> None:
    broke_at = NOW.timestamp() + 95
    busy = lambda at: np.where(at < broke_at, 90.0, 10.0) + at % 7  # noqa: E731
    world.add("DCGM_FI_DEV_GPU_UTIL", busy, **GPU)
    with serving(world) as url:
        made = source(people, url)
        states, taken, now = [], [], NOW
        for turn in range(6):
            now = NOW + timedelta(seconds=phase + 30 * turn)
            world.held_back_from = now.timestamp() - held_back
            pulled = pull.pull_source(
                organization_id=people.operator.id, source_id=made.pk, now=now
            )
            states.append(pulled.state)
            taken.append(reloaded(made).read_until)
    assert states == ["fresh"] * 6
    assert taken[-1] is not None
    late = now.timestamp() - taken[-1].timestamp()
    assert max(held_back, 5) <= late < max(held_back, 5) + read_spans.STEP_SECONDS
    asked = [form for path, form in world.asked if path.endswith("query_range")]
    assert max(float(form["end"]) for form in asked) <= now.timestamp() - held_back


def test_a_source_with_nothing_new_is_as_fresh_as_it_was(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url)
        for seconds in (0, 30, 60):
            now = NOW + timedelta(seconds=seconds)
            world.held_back_from = NOW.timestamp() - 10
            pulled = pull.pull_source(
                organization_id=people.operator.id, source_id=made.pk, now=now
            )
            assert (pulled.state, reloaded(made).last_error) == ("fresh", "")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "has had no samples within the last hour"),
        ([Row(labels={"__name__": "go_threads"}, value=lambda at: at * 0 + 1)], "none of the"),
        (
            [Row(labels={"__name__": "DCGM_FI_DEV_GPU_UTIL", **GPU}, value=lambda at: at * np.nan)],
            "no samples of them between 2026",
        ),
    ],
    ids=["empty", "unknown", "silent"],
)
def test_a_source_that_answers_with_nothing_says_why_it_is_stale(
    people: Cast, rows: list[Row], words: str
) -> None:
    with serving(World(rows=rows)) as url:
        made = source(people, url)
        pulled = pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    row = reloaded(made)
    assert (pulled.state, row.state) == ("stale", "stale")
    assert words in row.last_error
