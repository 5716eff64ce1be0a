"""What pulls keep of the storage path: sums that add up, saves that are found, once."""

from datetime import datetime

import numpy as np
import pytest
import zstandard

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame
from apps.telemetry.metrics.pulls import pull, storage_reading
from apps.telemetry.models import Source, StoragePhase, StorageSlot
from apps.telemetry.storage_path import slot_bodies
from apps.telemetry.storage_path.slot_samples import (
    ADAPTERS,
    HOST,
    TOTALS,
    SlotSamples,
    slot_samples,
)
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast.metrics import HOSTS, NOW, Cast, cast, source
from tests.cast.storage_mounts import EXPORT, SavingTime, saving_adapters, saving_hosts

pytestmark = pytest.mark.django_db
SAVE = SavingTime(
    begins=NOW.timestamp() - 3600, ends=NOW.timestamp() - 3600 + 290, bytes_per_second=5e9
)
MOVED = 290 * 5e9 * len(HOSTS)


@pytest.fixture
def people() -> Cast:
    """Who takes part."""
    return cast()


def _pulled(people: Cast, saves: list[SavingTime], *, beside: float | None = None) -> Source:
    world = World()
    if beside is not None:
        saving_adapters(world, hosts=HOSTS, saves=saves, beside=beside)
    world.add("DCGM_FI_DEV_GPU_UTIL", 80.0, Hostname=HOSTS[0], gpu="0", UUID="GPU-1")
    saving_hosts(world, hosts=HOSTS, saves=saves)
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    return made


def _phases(people: Cast) -> list[StoragePhase]:
    with organization_scope(people.operator.id):
        return list(StoragePhase.objects.order_by("starts_at"))


def test_a_pull_finds_the_save_with_its_times_and_bytes(people: Cast) -> None:
    _pulled(people, [SAVE])
    (phase,) = _phases(people)
    assert (phase.kind, phase.mount) == ("save", EXPORT)
    assert abs(phase.starts_at.timestamp() - SAVE.begins) <= 30
    assert abs(phase.ends_at.timestamp() - SAVE.ends) <= 30
    assert phase.moved_bytes == pytest.approx(MOVED, rel=0.01)
    assert phase.figures["host_count"] == len(HOSTS)


def test_the_queue_share_of_the_save_is_what_the_clients_counted(people: Cast) -> None:
    _pulled(people, [SAVE])
    (phase,) = _phases(people)
    assert phase.figures["queue"] / phase.figures["request"] == pytest.approx(0.931, abs=0.001)
    assert phase.figures["quiet_response"] == pytest.approx(0.112, rel=0.01)
    assert phase.figures["slots"] == 128


def test_each_host_has_its_own_sums(people: Cast) -> None:
    _pulled(people, [SAVE])
    (phase,) = _phases(people)
    hosts, sums = slot_bodies.hosts_of(phase.hosts)
    assert hosts == HOSTS
    written = sums[:, HOST.index("write_bytes")]
    assert written == pytest.approx(MOVED / len(HOSTS), rel=0.01)


def test_the_busiest_adapter_of_each_node_is_counted_once(people: Cast) -> None:
    _pulled(people, [SAVE], beside=2e9)
    (phase,) = _phases(people)
    # A bond carries what its members do, and nothing of a bridge leaves the host.
    assert phase.figures["adapter"] == pytest.approx(7e9, rel=0.06)
    assert phase.figures["adapter_most"] == pytest.approx(7e9, rel=0.01)


def test_without_counters_of_adapters_nothing_is_said_of_them(people: Cast) -> None:
    _pulled(people, [SAVE])
    (phase,) = _phases(people)
    assert "adapter" not in phase.figures


def test_a_body_from_before_adapters_were_read_is_read_on() -> None:
    (one,) = _block([SAVE], int(SAVE.begins))[:1]
    former = one.totals[:, : len(TOTALS) - len(ADAPTERS)]
    body = zstandard.compress(former.astype("<f8").tobytes())
    found = slot_bodies.totals_of(body)
    assert found.shape == one.totals.shape
    assert found[:, : former.shape[1]].tolist() == former.tolist()
    assert np.isnan(found[:, former.shape[1] :]).all()
    again = slot_bodies.totals_of(slot_bodies.packed_totals(found))
    assert np.array_equal(again, found, equal_nan=True)


def test_an_outsider_has_no_row_of_it(people: Cast) -> None:
    _pulled(people, [SAVE])
    with organization_scope(people.outsider.id):
        assert not StoragePhase.objects.exists()
        assert not StorageSlot.objects.exists()


def test_a_source_without_mounts_keeps_nothing(people: Cast) -> None:
    world = World()
    world.add("DCGM_FI_DEV_GPU_UTIL", 80.0, Hostname=HOSTS[0], gpu="0", UUID="GPU-1")
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    with organization_scope(people.operator.id):
        assert not StorageSlot.objects.exists()


def test_blocks_in_any_order_and_twice_make_the_same_rows(people: Cast) -> None:
    other = SavingTime(begins=SAVE.begins + 1200, ends=SAVE.begins + 1900, bytes_per_second=6e9)
    told = [_rows_after(people, order=order, saves=[SAVE, other]) for order in (None, 1, 2, 3)]
    assert told[0][0] == told[1][0] == told[2][0] == told[3][0]
    for each in told[1:]:
        assert each[1] == pytest.approx(told[0][1])
    assert len(told[0][0]) == 2


def _rows_after(
    people: Cast, *, order: int | None, saves: list[SavingTime]
) -> tuple[list[tuple[str, datetime, datetime]], list[float]]:
    samples = list(_blocks(saves))
    if order is not None:
        doubled = [*samples, *samples[::3]]
        shuffled = np.random.default_rng(order).permutation(len(doubled))
        samples = [doubled[at] for at in shuffled.tolist()]
    made = source(people, "http://127.0.0.1:1", name=f"order-{order}")
    with organization_scope(people.operator.id):
        for block in samples:
            storage_reading.write_storage(source=made, samples=block)
        rows = list(StoragePhase.objects.filter(source=made).order_by("starts_at"))
    figures = [row.moved_bytes for row in rows]
    figures += [row.figures[name] for row in rows for name in ("queue", "quiet_response")]
    return [(row.kind, row.starts_at, row.ends_at) for row in rows], figures


def _blocks(saves: list[SavingTime]) -> list[list[SlotSamples]]:
    """Two hours of one host as slot samples, block by block of two minutes."""
    first = int(SAVE.begins) - 3600
    return [_block(saves, first + 120 * block) for block in range(60)]


def _block(saves: list[SavingTime], start: int) -> list[SlotSamples]:
    found = []
    for at in range(start + 30, start + 121, 30):
        rate = sum(s.bytes_per_second for s in saves if s.begins <= at - 30 and at <= s.ends)
        moved = 30 * (8 * rate + 1e6)
        requests = moved / 2**20
        row = {
            "at": at, "seconds": 30.0, "host_count": 1, "utilization": 0.8, "write_bytes": moved,
            "write_requests": requests, "write_queue": requests, "write_response": requests * 0.1,
            "write_request": requests * 1.1,
        }  # fmt: skip
        host = {**row, "slots": 128.0}
        found.append(
            SlotSamples(
                mount=EXPORT,
                starts_at=(at - 30) // 300 * 300,
                totals=np.array([[row.get(name, 0.0) for name in TOTALS]]),
                hosts=("gpu001",),
                by_host=np.array([[[host.get(name, 0.0) for name in HOST]]]),
            )
        )
    return found


def test_an_interval_that_overlaps_another_counts_once() -> None:
    (first,) = _block([SAVE], int(SAVE.begins))[:1]
    once = slot_bodies.grown_by(slot_bodies.EMPTY, first)
    assert once is not None
    wide = SlotSamples(
        mount=first.mount,
        starts_at=first.starts_at,
        totals=first.totals + np.array([[15.0, 30.0, *[0.0] * (len(TOTALS) - 2)]]),
        hosts=first.hosts,
        by_host=first.by_host,
    )
    assert slot_bodies.grown_by(once, wide) is None


def test_bytes_with_headers_count_only_where_a_mount_tells_no_others() -> None:
    grid = Grid(start=0.0, step=30.0, count=3)
    host = Device(kind="mount", host="gpu001", name=EXPORT)
    other = Device(kind="mount", host="gpu002", name=EXPORT)
    frames = [
        Frame(
            signal=catalog().signals[name],
            entities=devices,
            start=0.0,
            step=30.0,
            values=np.array([values for _ in devices], dtype=np.float64),
            details=tuple(detail for _ in devices),
        )
        for name, devices, values, detail in (
            ("nfs.server_written", (host,), [0.0, 100.0, 300.0], ""),
            ("nfs.sent_bytes", (host, other), [0.0, 110.0, 330.0], "WRITE"),
        )
    ]
    (found,) = slot_samples(frames=frames, utilization=None, grid=grid)
    written = found.by_host[:, :, HOST.index("write_bytes")]
    assert written.tolist() == [[100.0, 110.0], [200.0, 220.0]]


def test_a_counter_that_fell_began_anew() -> None:
    frame = Frame(
        signal=catalog().signals["nfs.server_written"],
        entities=(Device(kind="mount", host="gpu001", name=EXPORT),),
        start=0.0,
        step=30.0,
        values=np.array([[500.0, 40.0, 90.0]]),
    )
    grid = Grid(start=0.0, step=30.0, count=3)
    (found,) = slot_samples(frames=[frame], utilization=None, grid=grid)
    assert found.totals[:, TOTALS.index("write_bytes")].tolist() == [40.0, 50.0]
