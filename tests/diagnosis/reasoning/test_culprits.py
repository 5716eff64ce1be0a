"""A part that goes by several names is blamed once, by the names people know."""

from dataclasses import replace

import pytest

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import (
    Device,
    Event,
    Evidence,
    Hypothesis,
    Layer,
    LogLine,
    Origin,
    Placement,
    Role,
    Severity,
    Topology,
    statement,
)
from apps.diagnosis.reasoning.verdict.culprits import culprits
from apps.diagnosis.reasoning.verdict.culprits.same_parts import place_parts

TOPOLOGY = Topology(
    hosts=("n01",),
    placements=(Placement(rank=5, host="n01", gpu=5, pci="0000:9D:00.0"),),
    devices=(
        Device(kind="nic", host="n01", name="mlx5_1", pci="0000:40:00.0", index=1),
        Device(kind="nic", host="n01", name="mlx5_1"),
        Device(kind="nic", host="n01", name="mlx5_2", pci="0000:4f:00.0", index=2),
        Device(kind="gpu", host="n01", index=5, uuid="aa-bb", pci="0000:9d:00.0", name="H100"),
    ),
)


def _blamed(cause: str, *fields: dict[str, str], ranks: tuple[int, ...] = ()) -> list[Device]:
    lines = [LogLine(origin=Origin(source="log", host="n01"), number=1, text="") for _ in fields]
    lines += [
        LogLine(origin=Origin(source="log", host="n01", rank=one), number=1, text="")
        for one in ranks
    ]
    said = [*fields, *({} for _ in ranks)]
    supporting = tuple(
        Evidence(
            statement=statement("began-to-fail"),
            weight=5.0,
            host="n01",
            event=Event(
                signature="any",
                role=Role.INITIATING,
                layer=Layer.NETWORK,
                severity=Severity.ERROR,
                line=line,
                fields=each,
            ),
        )
        for line, each in zip(lines, said, strict=True)
    )
    known = load_causes()[cause]
    hypothesis = Hypothesis(
        layer=known.layer,
        cause=cause,
        probability=0.9,
        cause_probability=0.9,
        supporting=supporting,
    )
    return list(culprits(cause=known, hypothesis=hypothesis, hosts=["n01"], topology=TOPOLOGY))


@pytest.mark.parametrize(
    "kernel",
    [{"pci": "0000:40:00.0", "ifname": "enp64s0np0"}, {"ifname": "enp64s0np0"}],
    ids=["with its address", "by its interface name alone"],
)
def test_an_adapter_is_blamed_once_by_its_rdma_name(kernel: dict[str, str]) -> None:
    (nic,) = _blamed("link-down", kernel, {"dev": "mlx5_1"})
    assert (nic.name, nic.pci) == ("mlx5_1", "0000:40:00.0")


def test_two_adapters_of_a_host_stay_two() -> None:
    assert len(_blamed("link-down", {"dev": "mlx5_1"}, {"dev": "mlx5_2"})) == 2


def test_a_gpu_is_blamed_once_by_address_and_by_rank() -> None:
    (gpu,) = _blamed("gpu-off-bus", {"pci": "0000:9d:00"}, ranks=(5,))
    assert (gpu.index, gpu.rank, gpu.uuid, gpu.pci) == (5, 5, "aa-bb", "0000:9d:00.0")


@pytest.mark.parametrize("sign", ["nvme-timeout", "scsi-failed", "fs-readonly"])
def test_a_file_on_a_disk_that_fails_inside_the_host_is_no_servers_fault(sign: str) -> None:
    plain: dict[str, str] = {}
    said = (("py-oserror-storage", {"path": "/local/ckpt/7.pt"}), (sign, plain))
    supporting = tuple(
        Evidence(
            statement=statement("began-to-fail"),
            weight=5.0,
            host="n01",
            event=Event(
                signature=signature,
                role=Role.INITIATING,
                layer=Layer.STORAGE,
                severity=Severity.ERROR,
                line=LogLine(origin=Origin(source="log", host="n01"), number=1, text=""),
                fields=fields,
            ),
        )
        for signature, fields in said
    )
    hypothesis = Hypothesis(
        layer=Layer.STORAGE,
        cause="nfs-unavailable",
        probability=0.9,
        cause_probability=0.9,
        supporting=supporting,
    )
    cause = load_causes()["nfs-unavailable"]
    blamed = culprits(cause=cause, hypothesis=hypothesis, hosts=["n01"], topology=Topology())
    assert blamed == (Device(kind="node", host="n01"),)


def test_a_part_told_without_its_host_is_the_one_that_it_can_mean() -> None:
    placed = Device(kind="gpu", host="n1", index=3, pci="0000:61:00.0")
    told = Device(kind="gpu", uuid="5058533b", pci="0000:61:00.0")
    assert place_parts([placed, told]) == [replace(placed, uuid="5058533b")]


def test_a_part_told_without_its_host_stays_apart_where_two_hosts_have_such_a_part() -> None:
    placed = [Device(kind="gpu", host=host, pci="0000:61:00.0") for host in ("n1", "n2")]
    told = Device(kind="gpu", uuid="5058533b", pci="0000:61:00.0")
    assert place_parts([*placed, told]) == [*placed, told]


def test_what_a_host_prints_without_a_rank_is_of_the_only_rank_there() -> None:
    (blamed,) = _blamed("rank-exception", {"exc": "KeyError"})
    assert (blamed.kind, blamed.host, blamed.rank) == ("rank", "n01", 5)
