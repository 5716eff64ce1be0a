"""Labels → devices: the same part under every spelling."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.detection.metrics.identity import (
    NamedDevice,
    host_name,
    name_series,
    pci_address,
    resolver_of,
)
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device

LABELS = catalog().labels
OLD = {
    "Hostname": "GPU017.cl.local",
    "gpu": "3",
    "UUID": "GPU-AbC",
    "pci_bus_id": "00000000:83:00.0",
}
NEW = {"hostname": "gpu017", "gpu": "3", "UUID": "GPU-abc", "pci_bus_id": "0000:83:00.0"}


@pytest.mark.parametrize("labels", [OLD, NEW])
def test_old_and_new_exporters_name_the_same_gpu(labels: dict[str, str]) -> None:
    named = name_series(labels=labels, kind="gpu", spelling=LABELS["dcgm"])
    assert named.device == Device(
        kind="gpu", host="gpu017", index=3, uuid="abc", pci="0000:83:00.0"
    )


def test_a_label_map_of_the_source_goes_first() -> None:
    labels = NEW | {"rack_host": "gpu099"}
    named = name_series(
        labels=labels, kind="gpu", spelling=LABELS["dcgm"], renamed={"rack_host": "host"}
    )
    assert named.device.host == "gpu099"


def test_scrape_address_is_the_host_that_is_known_to_have_it() -> None:
    named = name_series(
        labels={"instance": "10.1.2.3:9100"},
        kind="node",
        spelling=LABELS["node"],
        aliases={"10.1.2.3": "gpu017"},
    )
    assert named.device == Device(kind="node", host="gpu017")


def test_ports_and_mounts_keep_their_name_and_operation() -> None:
    labels = {"instance": "gpu001:9100", "export": "nas1:/ckpt", "operation": "WRITE"}
    named = name_series(labels=labels, kind="mount", spelling=LABELS["nfs"])
    assert named.device == Device(kind="mount", host="gpu001", name="nas1:/ckpt")
    assert named.operation == "WRITE"


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("10.1.2.3:9100", "10.1.2.3"),
        ("[fd00::1]:9100", "fd00::1"),
        ("fd00::1", "fd00::1"),
        ("GPU001.cl.local:9400", "gpu001"),
        ("", None),
    ],
)
def test_hosts_are_short_names_or_addresses(text: str, host: str | None) -> None:
    assert host_name(text) == host


@pytest.mark.parametrize(
    ("text", "pci"),
    [
        ("00000000:83:00.0", "0000:83:00.0"),
        ("0000:83:00", "0000:83:00.0"),
        ("0000:0A:1F.7", "0000:0a:1f.7"),
        ("N/A", None),
    ],
)
def test_pci_addresses_have_one_form(text: str, pci: str | None) -> None:
    assert pci_address(text) == pci


@given(st.dictionaries(st.sampled_from(["instance", "gpu", "UUID", "pci_bus_id"]), st.text()))
def test_odd_labels_never_raise(labels: dict[str, str]) -> None:
    name_series(labels=labels, kind="gpu", spelling=LABELS["dcgm"])


def test_node_exporter_spells_an_address_in_four_labels() -> None:
    labels = {
        "instance": "gpu017:9100",
        "segment": "0000",
        "bus": "83",
        "device": "00",
        "function": "0",
    }
    named = name_series(labels=labels, kind="nic", spelling=LABELS["rdma"])
    assert named.device == Device(kind="nic", host="gpu017", pci="0000:83:00.0")


def test_what_the_scraper_renamed_is_what_the_exporter_said() -> None:
    labels = {"instance": "10.0.0.7:9090", "exported_instance": "gpu017", "gpu_uuid": "GPU-AB"}
    named = name_series(labels=labels, kind="gpu", spelling=LABELS["dcgm"])
    assert named.device == Device(kind="gpu", host="gpu017", uuid="ab")


@pytest.mark.parametrize(
    ("labels", "device"),
    [
        ({"UUID": "GPU-ab", "GPU_I_ID": "3"}, Device(kind="gpu", uuid="ab", name="MIG 3")),
        ({"UUID": "MIG-GPU-ab/7/0"}, Device(kind="gpu", uuid="ab", name="MIG 7")),
        ({"UUID": "MIG-77aa"}, Device(kind="gpu", uuid="mig-77aa")),
        ({"UUID": "N/A", "gpu": "2"}, Device(kind="gpu", index=2)),
    ],
)
def test_slices_of_a_gpu_are_told_apart(labels: dict[str, str], device: Device) -> None:
    assert name_series(labels=labels, kind="gpu", spelling=LABELS["dcgm"]).device == device


def test_a_processes_own_count_is_no_index() -> None:
    labels = {"node": "gpu017", "gpu": "GPU3"}
    named = name_series(labels=labels, kind="gpu", spelling=LABELS["nccl"])
    assert named.device == Device(kind="gpu", host="gpu017", name="cuda 3")


FULL = Device(kind="gpu", host="gpu017", index=3, uuid="ab", pci="0000:1b:00.0")
HALVES = [
    Device(kind="gpu", host="gpu017", uuid="ab"),
    Device(kind="gpu", host="gpu017", index=3),
    Device(kind="gpu", host="gpu017", pci="0000:1b:00.0"),
    Device(kind="gpu", uuid="ab"),
    Device(kind="gpu", host="dcgm-exporter-x7k2p", index=3, uuid="ab"),
    Device(kind="gpu", host="gpu017", index=3, uuid="ab"),
    FULL,
]


@pytest.mark.parametrize("half", HALVES, ids=str)
def test_every_half_name_of_a_part_on_record_is_that_part(half: Device) -> None:
    resolver = resolver_of(told=[], known=[NamedDevice(device=FULL)], hosts={"gpu017"})
    assert resolver.complete(half) == FULL


def test_series_of_one_source_complete_each_other_without_any_record() -> None:
    resolver = resolver_of(told=[HALVES[0], HALVES[1], HALVES[5], replace(FULL, index=None)])
    assert {resolver.complete(half) for half in (*HALVES[:4], FULL)} == {FULL}


def test_labels_of_today_win_over_the_record_of_yesterday() -> None:
    new = Device(kind="gpu", host="gpu017", index=3, uuid="cd", pci="0000:1b:00.0")
    resolver = resolver_of(told=[new], known=[NamedDevice(device=FULL)], hosts={"gpu017"})
    assert resolver.complete(Device(kind="gpu", host="gpu017", index=3)) == new
    assert resolver.complete(new) == new
    unknown = Device(kind="gpu", host="gpu017", index=3, uuid="ef")
    assert resolver.complete(unknown) == unknown


def test_two_boards_are_never_made_one() -> None:
    other = Device(kind="gpu", host="gpu018", index=3)
    resolver = resolver_of(told=[FULL, other])
    assert resolver.complete(other) == other
    assert resolver.complete(Device(kind="gpu", host="gpu017", index=4)).uuid is None


def test_a_slice_stays_a_slice_of_its_board() -> None:
    resolver = resolver_of(told=[FULL])
    one = resolver.complete(Device(kind="gpu", host="gpu017", uuid="ab", name="MIG 3"))
    assert one == replace(FULL, name="MIG 3")


def test_an_interface_is_the_adapter_that_has_it() -> None:
    nic = Device(kind="nic", host="gpu017", name="mlx5_3", pci="0000:83:00.0")
    resolver = resolver_of(told=[], known=[NamedDevice(device=nic, alias="ib3")])
    assert resolver.complete(Device(kind="nic", host="gpu017", name="ib3")) == nic
    assert resolver.complete(Device(kind="nic", host="gpu017", name="mlx5_3")) == nic


def test_a_processes_count_is_a_gpu_where_somebody_knows_which() -> None:
    resolver = resolver_of(told=[], known=[NamedDevice(device=FULL, alias="cuda 0")])
    assert resolver.complete(Device(kind="gpu", host="gpu017", name="cuda 0")) == FULL
    asked = Device(kind="gpu", host="gpu017", name="cuda 1")
    assert resolver.complete(asked) == asked


devices = st.builds(
    Device,
    kind=st.just("gpu"),
    host=st.sampled_from(["a", "b", None]),
    index=st.sampled_from([None, 0, 1]),
    uuid=st.sampled_from([None, "u", "v"]),
    pci=st.sampled_from([None, "x", "y"]),
)


@given(st.lists(devices, max_size=8), devices)
def test_completing_keeps_what_was_said_and_is_done_once(
    told: list[Device], device: Device
) -> None:
    resolver = resolver_of(told=told)
    whole = resolver.complete(device)
    for name in ("host", "index", "uuid", "pci"):
        said = getattr(device, name)
        assert said is None or said == getattr(whole, name)
    assert resolver.complete(whole) == whole
