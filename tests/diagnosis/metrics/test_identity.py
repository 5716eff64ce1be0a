"""Labels → devices: the same part under every spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.metrics.identity import host_name, name_series, pci_address
from apps.diagnosis.metrics.load import catalog
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
