"""What of a source belongs into an evidence window: whose series, and how much of them."""

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.model import Device
from apps.telemetry.evidence import capture_limits, evidence_query, host_spelling
from apps.telemetry.evidence.blocks import Block
from apps.telemetry.metrics.pulls.signal_reading import Names
from apps.telemetry.models import EvidenceCapture, Source
from apps.telemetry.sources.prometheus import PrometheusSource
from apps.telemetry.sources.stored_source import address_of
from tests.apps.telemetry.prometheus_server import Sample, World, serving
from tests.cast.metrics import HOSTS, NOW, healthy

QUEUED = "node_mountstats_nfs_operations_queue_time_seconds_total"
ANSWERED = "node_mountstats_nfs_operations_request_time_seconds_total"
LINK_DOWNED = "node_infiniband_link_downed_total"
RECEIVED = "node_infiniband_port_data_received_bytes_total"


@pytest.mark.parametrize(
    ("name", "shared", "is_part"),
    [
        ("nas1:/ckpt", ("nas1",), True),
        ("nas1:/ckpt", ("/ckpt",), True),
        ("nas1:/ckpt", ("nas1:/ckpt",), True),
        ("nas1:/ckpt", ("nas2", "/data"), False),
        ("nas1", ("nas2", "nas1"), True),
        (":/ckpt", ("/ckpt",), False),  # of no server
        (None, ("nas1",), False),
        ("nas1", (), False),
    ],
)
def test_an_export_is_meant_by_its_server_its_path_or_both(
    name: str | None, shared: tuple[str, ...], *, is_part: bool
) -> None:
    device = Device(kind="mount", host="n1", name=name)
    assert evidence_query.is_part_of(device, shared) is is_part


def block(size: int) -> Block:
    """Return a block of so many bytes."""
    return Block(
        entity=Device(kind="gpu", host="n1", index=0),
        family="gpu",
        signals=("gpu.power",),
        units=("W",),
        start=0.0,
        step=10.0,
        shape=(1, 1),
        body=b"x" * size,
    )


def test_blocks_fill_the_room_to_its_last_byte() -> None:
    kept, dropped = evidence_query.within([block(6), block(4), block(1)], 10)
    assert ([len(each.body) for each in kept], dropped) == ([6, 4], 1)


def growing(speed: float) -> Sample:
    """Return a counter that grows so much a second."""
    return lambda at: at * speed


def read(
    world: World,
    *,
    suspects: Collection[str] = (),
    shared: tuple[str, ...] = (),
    linked: Collection[str] = (),
    label_map: Mapping[str, str] = MappingProxyType({}),
) -> Sequence[Block]:
    """Read a window of twenty minutes that all hosts of the cluster belong to."""
    grid = Grid(start=NOW.timestamp() - 1200, step=15.0, count=81)
    with serving(world) as url:
        source = Source(name="metrics", url=url, allowed_networks=["127.0.0.1/32"])
        order = capture_limits.CaptureOrder(
            capture=EvidenceCapture(),
            source=source,
            names=Names(label_map=label_map, aliases={}),
            grid=grid,
            suspects=frozenset(suspects),
            peers=frozenset(HOSTS) - frozenset(suspects),
            shared=shared,
            linked=frozenset(linked),
        )
        with PrometheusSource(address=address_of(source=source)) as client:
            return evidence_query.read_window(client=client, order=order).blocks


def hosts_of(kept: Sequence[Block]) -> set[str]:
    """Return whose series are kept; bands and servers are of no host."""
    return {each.entity.host for each in kept if each.entity.host}


def serve(world: World, metric: str, speeds: Mapping[str, float], **labels: str) -> None:
    """Serve a counter of each host that grows as fast as given, elsewhere not at all."""
    for host in HOSTS:
        world.add(metric, growing(speeds.get(host, 0.0)), instance=f"{host}:9100", **labels)


def looked_at(world: World) -> list[str]:
    """Return the metrics that were asked for one instant, to learn how they spell hosts."""
    forms = [form for path, form in world.asked if path.endswith(("query_range", "query"))]
    instants = [form["query"] for form in forms if form.get("start") == form.get("end")]
    return [query for query in instants if re.fullmatch(r"\w+", query)]


def test_only_clients_that_waited_stand_out_however_short() -> None:
    world = World()
    waited = {HOSTS[5]: 0.0002, HOSTS[6]: 0.0001}
    serve(world, QUEUED, waited, export="nas1:/ckpt", operation="WRITE")
    assert hosts_of(read(world, shared=("nas1",))) == {HOSTS[5], HOSTS[6]}


def test_clients_that_nothing_kept_waiting_are_not_kept() -> None:
    world = World()
    serve(world, QUEUED, {}, export="nas1:/ckpt", operation="WRITE")
    assert hosts_of(read(world, shared=("nas1",))) == set()


def test_waiting_for_a_suspected_server_is_told_by_the_queue_alone() -> None:
    world = World()
    serve(world, QUEUED, {HOSTS[0]: 0.1}, export="nas1:/ckpt", operation="WRITE")
    serve(world, ANSWERED, {HOSTS[6]: 9.0, HOSTS[7]: 9.0}, export="nas1:/ckpt", operation="WRITE")
    assert hosts_of(read(world, shared=("nas1",))) == {HOSTS[0]}


def test_erring_links_of_a_switch_stand_out_before_other_hosts_at_it() -> None:
    world = World()
    others = {HOSTS[2]: 50.0, HOSTS[3]: 60.0, HOSTS[7]: 70.0}
    serve(world, LINK_DOWNED, {HOSTS[4]: 0.01, HOSTS[7]: 0.1}, device="mlx5_0", port="1")
    serve(world, RECEIVED, others, device="mlx5_0", port="1")
    serve(world, QUEUED, others, export="nas1:/ckpt", operation="WRITE")
    serve(world, "node_vmstat_oom_kill", others)
    assert hosts_of(read(world, linked=HOSTS[:5])) == {HOSTS[4], HOSTS[0], HOSTS[1]}


@pytest.mark.parametrize(("shared", "are_read"), [((), False), (("nas1",), True)])
def test_servers_are_read_where_one_is_suspected(
    shared: tuple[str, ...], *, are_read: bool
) -> None:
    world = World()
    healthy(world)
    world.add("vast_cluster_online", 1.0, server="nas1")
    kept = read(world, suspects=HOSTS[2:3], shared=shared)
    assert any(each.entity.kind == "server" for each in kept) is are_read
    assert (
        any("vast_cluster_online" in form["query"] for _, form in world.asked if "query" in form)
        is are_read
    )


def test_without_a_suspect_nothing_but_the_core_is_asked_of_hosts() -> None:
    world = World()
    healthy(world)
    world.add("DCGM_FI_DEV_MEM_CLOCK", 2600.0, Hostname=HOSTS[2], gpu="1", UUID="GPU-21")
    world.add("vast_cluster_online", 1.0, server="nas1")
    read(world, shared=("nas1",))
    asked = " ".join(form["query"] for _, form in world.asked if "query" in form)
    assert ("DCGM_FI_DEV_MEM_CLOCK" in asked, "vast_cluster_online" in asked) == (False, True)


def test_an_exporter_that_spelt_all_hosts_is_not_looked_at_again() -> None:
    world = World()
    healthy(world)
    world.add("DCGM_FI_DEV_XID_ERRORS", 0.0, Hostname=HOSTS[2], gpu="1", UUID="GPU-21")
    world.add("DCGM_FI_DEV_MEM_CLOCK", 2600.0, Hostname=HOSTS[2], gpu="1", UUID="GPU-21")
    read(world, suspects=HOSTS[2:3])
    of_gpus = [each for each in looked_at(world) if each.startswith("DCGM_")]
    assert len(of_gpus) == 1
    assert of_gpus[0] not in {"DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_MEM_CLOCK"}


def test_some_metrics_of_an_exporter_that_speaks_of_other_hosts_are_looked_at() -> None:
    world = World()
    for metric in ("GPU_TEMP", "GPU_UTIL", "SM_CLOCK", "MEM_CLOCK", "PSTATE", "FB_FREE"):
        world.add(f"DCGM_FI_DEV_{metric}", 1.0, Hostname="elsewhere", gpu="0", UUID="GPU-1")
    world.add("vast_cluster_online", 1.0, server="nas1")
    assert read(world, suspects=HOSTS[2:3]) == ()
    assert len(looked_at(world)) == host_spelling.MAX_TRIES


def test_what_several_metrics_spell_under_one_label_counts_together_and_no_other() -> None:
    world = World()
    for host in HOSTS[:4]:
        world.add("DCGM_FI_DEV_GPU_TEMP", 60.0, Hostname=host, gpu="0", UUID=f"GPU-{host}")
    for host in HOSTS[4:6]:
        world.add("DCGM_FI_DEV_GPU_UTIL", 99.0, Hostname=host, gpu="0", UUID=f"GPU-{host}")
    for host in HOSTS[6:]:
        world.add(
            "DCGM_FI_DEV_SM_CLOCK", 1900.0, instance=f"{host}:9400", gpu="0", UUID=f"GPU-{host}"
        )
    kept = read(world, suspects={HOSTS[3], HOSTS[5], HOSTS[7]})
    assert hosts_of(kept) == {HOSTS[3], HOSTS[5]}


def test_hosts_are_known_by_the_label_that_the_operator_named() -> None:
    world = World()
    for number, host in enumerate(HOSTS):
        labels = {"machine": host, "board": f"b{number}", "Hostname": f"pod-{number}"}
        world.add("DCGM_FI_DEV_GPU_TEMP", 60.0, gpu="0", UUID=f"GPU-{number}", **labels)
    kept = read(world, suspects=HOSTS[2:3], label_map={"machine": "host", "board": "slot"})
    assert hosts_of(kept) == {HOSTS[2]}


def test_a_host_that_fell_silent_within_the_window_is_spelt_by_what_it_said() -> None:
    world = World()
    end = NOW.timestamp() - 300
    world.add(
        "DCGM_FI_DEV_GPU_TEMP",
        lambda at: np.where(at < end, 60.0, np.nan),
        Hostname=HOSTS[2],
        gpu="0",
        UUID="GPU-2",
    )
    assert hosts_of(read(world, suspects=HOSTS[2:3])) == {HOSTS[2]}


def test_what_a_host_has_once_is_looked_at_before_what_each_of_its_parts_has() -> None:
    world = World()
    healthy(world)
    for host in HOSTS:
        world.add("DCGM_FI_SYSTEM_GPU_QUANTITY", 4.0, Hostname=host)
    read(world, suspects=HOSTS[2:3])
    of_gpus = [each for each in looked_at(world) if each.startswith("DCGM_")]
    assert of_gpus == ["DCGM_FI_SYSTEM_GPU_QUANTITY"]
