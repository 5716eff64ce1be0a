"""Evidence windows: kept in full for suspects, as a band for peers, readable without the source."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from apps.fleet.inventory import DeviceReport, NodeReport, record_devices
from apps.fleet.models import Link
from apps.telemetry.evidence import blocks, capture, capture_limits, captured_series, evidence_query
from apps.telemetry.models import EvidenceBlock, EvidenceCapture, Source
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import Sample, World, serving
from tests.cast.metrics import HOSTS, NOW, Cast, cast, healthy, since, source

GPU = {"Hostname": HOSTS[2], "gpu": "1", "UUID": "GPU-21"}
OWNER = 4711


@pytest.fixture
def people() -> Cast:
    """Who takes part."""
    return cast()


@pytest.fixture
def world() -> Iterator[World]:
    """A healthy cluster with one new Xid."""
    made = World()
    healthy(made)
    made.add("DCGM_FI_DEV_XID_ERRORS", since(300, 79.0), **GPU)
    made.add("DCGM_FI_DEV_MEM_CLOCK", 2600.0, **GPU)
    made.add("DCGM_FI_DEV_MEM_CLOCK", 2600.0, **(GPU | {"Hostname": HOSTS[3]}))
    yield made
    made.hold.set()


def order(
    people: Cast,
    made: Source,
    *,
    capture_pass: int = 1,
    ends_at: datetime = NOW,
    suspects: Sequence[str] = (HOSTS[2],),
    mounts: Sequence[str] = (),
    switches: Sequence[str] = (),
    hosts: Sequence[str] = HOSTS,
    owner: int = OWNER,
) -> int:
    """Order a capture as incidents do."""
    with organization_scope(people.operator.id):
        return EvidenceCapture.objects.create(
            organization=people.operator,
            incident_owner=owner,
            incident_public_id="INC-7K3F",
            source=made,
            capture_pass=capture_pass,
            due_at=NOW,
            request={
                "starts_at": (NOW - timedelta(minutes=20)).isoformat(),
                "ends_at": ends_at.isoformat(),
                "suspects": list(suspects),
                "mounts": list(mounts),
                "switches": list(switches),
                "attempt_hosts": list(hosts),
            },
        ).pk


def growing(speed: float) -> Sample:
    """Return a counter that grows so much a second."""
    return lambda at: at * speed


def carry_out(people: Cast, capture_id: int, now: datetime = NOW) -> str:
    """Carry out one order as the source's owner."""
    return capture.capture(organization_id=people.operator.id, capture_id=capture_id, now=now)


def charts(
    people: Cast, organization_id: int | None = None
) -> list[captured_series.CapturedSeries]:
    """Read back what an organization kept; the operator unless told otherwise."""
    organization = organization_id or people.operator.id
    with organization_scope(organization):
        return captured_series.charts(
            organization_id=organization, incident_owner=OWNER, incident_public_id="INC-7K3F"
        )


def state(people: Cast, capture_id: int) -> EvidenceCapture:
    """Return the order as it stands."""
    with organization_scope(people.operator.id):
        return EvidenceCapture.objects.get(id=capture_id)


@pytest.mark.django_db
def test_suspect_is_kept_in_full_beside_the_band_of_its_peers(people: Cast, world: World) -> None:
    with serving(world) as url:
        capture_id = order(people, source(people, url))
        assert carry_out(people, capture_id) == "captured"
    kept = {(each.signal, each.entity.index): each for each in charts(people)}
    xid = kept["gpu.xid", 1]
    assert (xid.values[0], xid.values[-1], xid.at[1] - xid.at[0]) == (0.0, 79.0, 15.0)
    clock = kept["gpu.clock", 1]
    assert (clock.unit, clock.layer) == ("MHz", "gpu")
    assert [float(clock.peers[name][5]) for name in ("p5", "p50", "p95")] == pytest.approx(
        [1900, 1901.5, 1903], abs=0.6
    )
    assert {each.entity.host for each in kept.values()} == {HOSTS[2]}


@pytest.mark.django_db
@pytest.mark.parametrize("is_own", [False, True])
def test_of_a_host_that_a_tenants_log_names_and_where_it_never_ran_nothing_is_kept_by_others(
    people: Cast, world: World, *, is_own: bool
) -> None:
    hosts = [each for each in HOSTS if each != HOSTS[2]]
    owner = people.operator.id if is_own else OWNER
    with serving(world) as url:
        carry_out(people, order(people, source(people, url), hosts=hosts, owner=owner))
    with organization_scope(people.operator.id):
        kept = EvidenceBlock.objects.values_list("entity__host", flat=True)
        assert (HOSTS[2] in kept) is is_own


@pytest.mark.django_db
def test_evidence_outlives_its_source(people: Cast, world: World) -> None:
    with serving(world) as url:
        carry_out(people, order(people, source(people, url)))
    assert charts(people)


@pytest.mark.django_db
def test_evidence_outlives_the_removal_of_its_source(people: Cast, world: World) -> None:
    with serving(world) as url:
        made = source(people, url)
        second = order(people, made, capture_pass=2)
        carry_out(people, order(people, made))
    with organization_scope(people.operator.id):
        Source.objects.get(id=made.pk).delete()
        due = capture.due_capture_ids(organization_id=people.operator.id, now=NOW)
    assert due == []
    assert carry_out(people, second) == "skipped"
    kept = {each.signal: each for each in charts(people)}
    assert kept["gpu.xid"].values[-1] == 79.0
    assert "p95" in kept["gpu.clock"].peers


@pytest.mark.django_db
def test_hosts_are_asked_for_as_the_source_spells_them(people: Cast, world: World) -> None:
    with serving(world) as url:
        carry_out(people, order(people, source(people, url)))
    queries = [form["query"] for path, form in world.asked if path.endswith("query_range")]
    minor = [query for query in queries if "DCGM_FI_DEV_MEM_CLOCK" in query]
    core = [query for query in queries if "DCGM_FI_DEV_GPU_TEMP" in query]
    assert all(f'Hostname=~"{HOSTS[2]}"' in query for query in minor)
    assert any(f'Hostname=~"{"|".join(HOSTS)}"' in query for query in core)


@pytest.mark.django_db
def test_suspected_server_is_kept_with_the_clients_that_waited_most(people: Cast) -> None:
    world = World()
    for number, host in enumerate(HOSTS):
        labels = {"instance": host, "export": "nas1:/ckpt", "operation": "WRITE"}
        world.add(
            "node_mountstats_nfs_operations_queue_time_seconds_total",
            growing(number),
            **labels,
        )
    for server in ("nas1", "nas2"):
        world.add(
            "vast_cnode_metrics_SchedulerMetrics_queue_latency_ns_fiber_avg",
            2e9,
            server=server,
            hostname="cnode-1",
        )
    with serving(world) as url:
        capture_id = order(people, source(people, url), suspects=[], mounts=["/ckpt", "nas1"])
        assert carry_out(people, capture_id) == "captured"
    kept = charts(people)
    clients = {each.entity.host for each in kept if each.entity.kind == "mount"}
    assert clients == set(HOSTS[-3:])
    assert [each.entity.name for each in kept if each.entity.kind == "server"] == ["nas1"]


@pytest.mark.django_db
def test_suspected_switch_is_kept_with_the_hosts_whose_links_erred_most(people: Cast) -> None:
    world = World()
    for number, host in enumerate(HOSTS):
        labels = {"instance": f"{host}:9100", "device": "mlx5_0", "port": "1"}
        world.add("node_infiniband_link_downed_total", growing(0.01 * number), **labels)
    with organization_scope(people.operator.id):
        for host in HOSTS[:5]:
            Link.objects.create(
                organization=people.operator,
                cluster=people.cluster,
                host=host,
                device="mlx5_0",
                switch="leaf1",
                port="7",
            )
    with serving(world) as url:
        capture_id = order(people, source(people, url), suspects=[], switches=["leaf1"])
        assert carry_out(people, capture_id) == "captured"
    assert {each.entity.host for each in charts(people)} == set(HOSTS[2:5])


@pytest.mark.django_db
def test_a_part_is_kept_under_the_names_that_it_had_then(people: Cast, world: World) -> None:
    with organization_scope(people.operator.id):
        for days, uuid in ((-3, "GPU-21"), (3, "GPU-99")):
            board = DeviceReport(kind="gpu", index=1, uuid=uuid, pci="0000:1b:00.0")
            record_devices(
                cluster=people.cluster,
                organization_id=people.operator.id,
                nodes=[NodeReport(name=HOSTS[2], devices=(board,))],
                now=NOW + timedelta(days=days),
            )
    with serving(world) as url:
        carry_out(people, order(people, source(people, url)))
    (gpu,) = {each.entity for each in charts(people) if each.signal == "gpu.xid"}
    assert (gpu.index, gpu.uuid, gpu.pci) == (1, "21", "0000:1b:00.0")


@pytest.mark.django_db
def test_size_and_time_of_a_capture_are_told(people: Cast, world: World) -> None:
    with serving(world) as url:
        capture_id = order(people, source(people, url))
        carry_out(people, capture_id)
    row = state(people, capture_id)
    with organization_scope(people.operator.id):
        size = sum(len(block.body) for block in EvidenceBlock.objects.all())
    assert row.byte_count == size > 0
    assert 0 < row.seconds < sum(capture_limits.SECONDS.values())


@pytest.mark.django_db
def test_the_second_pass_takes_the_room_of_the_first(people: Cast, world: World) -> None:
    later = NOW + timedelta(minutes=6)
    with serving(world) as url:
        made = source(people, url)
        carry_out(people, order(people, made, ends_at=later))
        carry_out(people, order(people, made, capture_pass=2, ends_at=later), now=later)
    with organization_scope(people.operator.id):
        assert {block.capture_pass for block in EvidenceBlock.objects.all()} == {2}


@pytest.mark.django_db
def test_a_source_that_hangs_costs_no_more_than_its_time(
    people: Cast, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "SECONDS", {1: 0.0})
    with serving(world) as url:
        capture_id = order(people, source(people, url))
        assert carry_out(people, capture_id) == "failed"
    assert state(people, capture_id).due_at > NOW


def test_peers_are_spread_over_all_hosts() -> None:
    hosts = {f"gpu{number:04}" for number in range(2048)}
    chosen = evidence_query.some(hosts, 64)
    assert (len(chosen), min(chosen), max(chosen)) == (64, "gpu0000", "gpu2047")
    assert evidence_query.some({"a", "b"}, 64) == {"a", "b"}


@pytest.mark.django_db
def test_second_pass_replaces_what_is_shown(people: Cast, world: World) -> None:
    later = NOW + timedelta(minutes=6)
    with serving(world) as url:
        made = source(people, url)
        carry_out(people, order(people, made, ends_at=later))
        carry_out(people, order(people, made, capture_pass=2, ends_at=later), now=later)
    (xid,) = [each for each in charts(people) if each.signal == "gpu.xid"]
    assert xid.at[-1] == pytest.approx(later.timestamp(), abs=15)


@pytest.mark.django_db
def test_source_that_is_down_is_a_state_and_is_tried_again(people: Cast, world: World) -> None:
    with serving(world) as url:
        pass
    made = source(people, url)
    capture_id = order(people, made)
    assert carry_out(people, capture_id) == "failed"
    row = state(people, capture_id)
    assert (row.state, row.attempt_count) == ("failed", 1)
    assert "no answer within 10 s" in row.error
    assert row.due_at > NOW
    with serving(world) as url:
        with organization_scope(people.operator.id):
            Source.objects.filter(id=made.pk).update(url=url)
            due = capture.due_capture_ids(organization_id=people.operator.id, now=row.due_at)
        assert due == [capture_id]
        assert carry_out(people, capture_id, now=row.due_at) == "captured"
    assert state(people, capture_id).state == "captured"


@pytest.mark.django_db
def test_source_without_samples_of_that_time_is_no_success(people: Cast) -> None:
    with serving(World()) as url:
        capture_id = order(people, source(people, url))
        carry_out(people, capture_id)
    assert state(people, capture_id).state == "failed"


@pytest.mark.django_db
def test_carrying_out_twice_keeps_each_block_once(people: Cast, world: World) -> None:
    with serving(world) as url:
        capture_id = order(people, source(people, url))
        first = carry_out(people, capture_id)
        second = carry_out(people, capture_id)
    with organization_scope(people.operator.id):
        keys = list(EvidenceBlock.objects.values_list("entity_key", "family"))
    assert (first, second) == ("captured", "skipped")
    assert len(keys) == len(set(keys))


@pytest.mark.django_db
def test_nobody_but_the_sources_owner_reads_a_block(people: Cast, world: World) -> None:
    with serving(world) as url:
        capture_id = order(people, source(people, url))
        carry_out(people, capture_id)
    assert charts(people, people.outsider.id) == []
    other = capture.capture(organization_id=people.outsider.id, capture_id=capture_id, now=NOW)
    assert other == "skipped"


@given(
    arrays.arrays(
        np.float32,
        arrays.array_shapes(min_dims=2, max_dims=2, max_side=20),
        elements=st.floats(width=32, allow_nan=True),
    )
)
def test_packing_keeps_every_value_and_every_gap(values: np.ndarray) -> None:
    np.testing.assert_array_equal(
        blocks.unpacked(body=blocks.packed(values), shape=values.shape), values
    )


def test_bytes_that_are_no_block_are_refused() -> None:
    body = blocks.packed(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="reshape"):
        blocks.unpacked(body=body, shape=(7, 3))


def test_what_exceeds_the_limit_is_left_out_and_counted() -> None:
    made = [
        blocks.Block(
            entity=blocks.PEERS,
            family=f"f{number}",
            signals=("s",),
            units=("u",),
            start=0.0,
            step=15.0,
            shape=(1, 1),
            body=b"x" * 10,
        )
        for number in range(5)
    ]
    kept, dropped = evidence_query.within(made, 25)
    assert ([each.family for each in kept], dropped) == (["f0", "f1"], 3)


@pytest.mark.django_db
def test_what_the_second_pass_could_not_read_stays_as_the_first_one_kept_it(
    people: Cast, world: World
) -> None:
    later = NOW + timedelta(minutes=6)
    with serving(world) as url:
        made = source(people, url)
        carry_out(people, order(people, made, ends_at=later))
        before = sorted((str(each.entity), each.signal) for each in charts(people))
        lost = "DCGM_FI_DEV_MEM_CLOCK"
        world.rows[:] = [row for row in world.rows if row.labels["__name__"] != lost]
        carry_out(people, order(people, made, capture_pass=2, ends_at=later), now=later)
    after = sorted((str(each.entity), each.signal) for each in charts(people))
    assert "gpu.clock.memory" in {signal for _, signal in before}
    assert after == before


def test_the_remark_names_what_could_not_be_read() -> None:
    remark = evidence_query._remark(["a.b", "c.d"], 0)
    assert remark == "2 signals could not be read in time: a.b, c.d"
