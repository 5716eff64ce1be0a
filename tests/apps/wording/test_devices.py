"""One name of a part, wherever it is read."""

import pytest
from django.utils import translation

from apps.diagnosis.model import Device
from apps.incidents.words.blamed import culprit
from apps.offline.report.wording import device as device_in_note
from apps.web.charts.evidence_charts import name_of
from apps.wording import ENGLISH, READERS
from apps.wording.devices import addressed, device_of, is_exact, located, named
from apps.wording.published import device_json

PCI = "0000:4e:00.0"
PARTS = [
    (Device(kind="gpu", host="n1", index=5, pci=PCI), "GPU 5", True),
    (Device(kind="gpu", host="n1", index=0), "GPU 0", True),
    (Device(kind="gpu", host="n1", pci=PCI), f"the GPU at {PCI}", True),
    (Device(kind="gpu", host="n1"), "a GPU", False),
    (Device(kind="nvswitch", host="n1", name="nvidia-nvswitch2", pci=PCI), "NVSwitch 2", True),
    (Device(kind="nvswitch", host="n1", pci=PCI), f"the NVSwitch at {PCI}", True),
    (Device(kind="nvswitch", host="n1"), "an NVSwitch", False),
    (Device(kind="nic", host="n1", name="mlx5_0", pci=PCI), "mlx5_0", True),
    (Device(kind="nic", host="n1", pci=PCI), "a network card", False),
    (Device(kind="rank", host="n1", rank=0), "rank 0", True),
    (Device(kind="process", host="n1", rank=3, name="python"), "rank 3", True),
    (Device(kind="process", host="n1"), "a process", False),
    (Device(kind="mount", host="n1", name="/data"), "/data", True),
    (Device(kind="server", host="n1", name="nfs-1"), "file server nfs-1", True),
    (Device(kind="server", name="/data"), "/data", True),
    (Device(kind="switch", host="n1", name="leaf-2"), "leaf-2", True),
    (Device(kind="program"), "the program", True),
]


@pytest.mark.parametrize(("device", "name", "exact"), PARTS)
def test_a_part_has_one_name_and_is_exact_or_one_of_its_kind(
    device: Device, name: str, *, exact: bool
) -> None:
    assert named(device, ENGLISH) == name
    assert is_exact(device) is exact


@pytest.mark.parametrize(("device", "name", "exact"), PARTS)
def test_what_is_published_of_it_has_the_same_name(
    device: Device, name: str, *, exact: bool
) -> None:
    with translation.override("en"):
        assert culprit(device_json(device)) == located(device, ENGLISH)
    assert device_of(device_json(device)) == device


def test_a_host_stands_behind_what_hangs_on_it() -> None:
    assert located(Device(kind="gpu", host="n1", index=5), ENGLISH) == "GPU 5 on n1"
    assert located(Device(kind="gpu", index=5), ENGLISH) == "GPU 5"
    assert located(Device(kind="node", host="n1"), ENGLISH) == "n1"
    assert located(Device(kind="node"), ENGLISH) == "a node"
    for kind, name in (("server", "file server s1"), ("switch", "s1")):
        assert located(Device(kind=kind, host="n1", name="s1"), ENGLISH) == name


def test_an_address_is_added_once() -> None:
    at = Device(kind="gpu", host="n1", index=5, pci=PCI)
    assert addressed(at, ENGLISH) == device_in_note(at, speaker=ENGLISH) == f"GPU 5 ({PCI}) on n1"
    assert addressed(Device(kind="gpu", host="n1", pci=PCI), ENGLISH) == f"the GPU at {PCI} on n1"
    assert addressed(Device(kind="node", host="n1", pci=PCI), ENGLISH) == "n1"
    assert addressed(Device(kind="gpu", host="n1", index=5), ENGLISH) == "GPU 5 on n1"


def test_a_reader_gets_it_in_his_language() -> None:
    part = Device(kind="gpu", host="gpu071", index=5)
    with translation.override("ko"):
        assert located(part, READERS) == "gpu071의 GPU 5"
        assert named(Device(kind="gpu"), READERS) != "a GPU"
        assert device_in_note(part, speaker=READERS) == "gpu071의 GPU 5"
        assert device_in_note(part, speaker=ENGLISH) == "GPU 5 on gpu071"


@pytest.mark.parametrize(
    ("device", "name"),
    [
        (Device(kind="gpu", host="n1", index=5), "GPU 5"),
        (Device(kind="gpu", host="n1"), "a GPU"),
        (Device(kind="node", host="n1"), "n1"),
        (Device(kind="mount", host="n1", name="10.0.0.1:/export/data"), "data"),
        (Device(kind="mount", host="n1"), "n1"),
    ],
)
def test_a_chart_is_short(device: Device, name: str) -> None:
    assert name_of(device) == name
