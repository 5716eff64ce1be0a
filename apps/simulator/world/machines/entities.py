"""What metrics are measured on: the label sets of GPUs, ports, mounts and the rest."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from apps.simulator.world.machines.cluster import (
    CLUSTER,
    DRIVER_VERSION,
    FILE_SERVER,
    FILE_SERVER_IP,
    GPU_BUSES,
    GPU_MODEL,
    GPUS_PER_NODE,
    MOUNTS,
    SimulatedNode,
    netdev,
)

_CNODE_COUNT = 8
_COMMON = {"cluster": CLUSTER, "simulated": "true"}
_OPERATIONS = ("READ", "WRITE", "COMMIT", "GETATTR")
_BESIDE = 0.004  # of other operations and mounts
_MODES = ("user", "system", "iowait", "idle")


@dataclass(frozen=True, kw_only=True)
class Entities:
    """The things that a group of families is measured on."""

    labels: tuple[dict[str, str], ...]
    hosts: tuple[str, ...]
    nodes: NDArray[np.int64]  # row in the cluster, -1 for the file server

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Return how much of its family's level each has: checkpoints are written to one mount."""
        return np.array([_share(labels) for labels in self.labels])

    @cached_property
    def rendered(self) -> tuple[str, ...]:
        """Return each label set as JSON without the braces."""
        return tuple(json.dumps(labels, separators=(",", ":"))[1:-1] for labels in self.labels)

    @cached_property
    def names(self) -> frozenset[str]:
        """Return all label names in use."""
        return frozenset(name for labels in self.labels for name in labels)


def _share(labels: dict[str, str]) -> float:
    if "export" not in labels:
        return 1.0
    is_written = labels.get("operation", "WRITE") == "WRITE"
    return 1.0 if is_written and labels["export"].endswith(MOUNTS[0][1]) else _BESIDE


def entities(*, kind: str, nodes: tuple[SimulatedNode, ...]) -> Entities:
    """Return what the families of one kind are measured on, node by node."""
    labels: list[dict[str, str]] = []
    hosts: list[str] = []
    places: list[int] = []
    if kind == "cnode":
        for number in range(1, _CNODE_COUNT + 1):
            labels.append(_COMMON | {"hostname": f"cnode-{number}", "server": FILE_SERVER})
            hosts.append(FILE_SERVER)
            places.append(-1)
    else:
        for place, node in enumerate(nodes):
            for own in _KINDS[kind](node):
                labels.append(_COMMON | own)
                hosts.append(node.name)
                places.append(place)
    return Entities(labels=tuple(labels), hosts=tuple(hosts), nodes=np.array(places))


def _scraped(node: SimulatedNode, job: str = "node") -> dict[str, str]:
    return {"instance": f"{node.name}:{9400 if job == 'dcgm' else 9100}", "job": job}


def _gpu_labels(node: SimulatedNode) -> list[dict[str, str]]:
    return [
        _scraped(node, "dcgm")
        | {
            "gpu": str(index),
            "UUID": node.gpu_uuid(index),
            "pci_bus_id": f"00000000:{GPU_BUSES[index].upper()}:00.0",
            "device": f"nvidia{index}",
            "modelName": GPU_MODEL,
            "Hostname": node.name,
            "DCGM_FI_DRIVER_VERSION": DRIVER_VERSION,
        }
        for index in range(GPUS_PER_NODE)
    ]


def _mount_labels(node: SimulatedNode) -> list[dict[str, str]]:
    return [
        _scraped(node)
        | {
            "export": f"{FILE_SERVER}:{export}",
            "protocol": "tcp",
            "mountaddr": FILE_SERVER_IP,
        }
        for _, export in MOUNTS
    ]


_KINDS: dict[str, Callable[[SimulatedNode], list[dict[str, str]]]] = {
    "gpu": _gpu_labels,
    "port": lambda node: [
        _scraped(node) | {"device": f"mlx5_{index}", "port": "1"}
        for index in range(GPUS_PER_NODE + 1)
    ],
    "netdev": lambda node: [
        _scraped(node) | {"device": device}
        for device in ("enp1s0f0", *(netdev(index) for index in range(GPUS_PER_NODE + 1)))
    ],
    "node": lambda node: [_scraped(node)],
    "cpu": lambda node: [
        _scraped(node) | {"cpu": str(cpu), "mode": mode} for cpu in range(8) for mode in _MODES
    ],
    "memory": lambda node: [_scraped(node) | {"controller": str(c)} for c in range(2)],
    "filesystem": lambda node: [
        _scraped(node) | {"device": device, "fstype": "ext4", "mountpoint": path}
        for device, path in (("/dev/nvme0n1p2", "/"), ("/dev/nvme1n1", "/scratch"))
    ],
    "disk": lambda node: [_scraped(node) | {"device": f"nvme{i}n1"} for i in range(2)],
    "target": lambda node: [_scraped(node, job) for job in ("node", "dcgm")],
    "mount": lambda node: [
        labels | {"transport": str(i)} for i, labels in enumerate(_mount_labels(node))
    ],
    "op": lambda node: [
        labels | {"operation": operation}
        for labels in _mount_labels(node)
        for operation in _OPERATIONS
    ],
}
