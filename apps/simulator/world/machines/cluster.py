"""The machines: 63 nodes of eight GPUs, their cables, file server, clocks and names."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from apps.simulator.world.noise import Dice, digest

CLUSTER = "meridian"
NODE_COUNT = 63
GPUS_PER_NODE = 8
ZONE = "Asia/Seoul"
GPU_MODEL = "NVIDIA B200"
DRIVER_VERSION = "580.105.08"
GPU_BUSES = ("1b", "43", "52", "61", "9d", "c3", "d1", "df")
ROOT_BUSES = ("15", "3c", "4b", "5a", "97", "bd", "cb", "d9")
NIC_BUSES = ("18", "40", "4f", "5e", "9a", "c0", "ce", "dc")
STORAGE_NIC_BUS = "29"
FILE_SERVER = "strata-nas1"
FILE_SERVER_IP = "10.60.0.11"
MOUNTS = (("/ckpt", "/meridian/ckpt"), ("/data", "/meridian/data"))
NETWORKS = {"aurora": "10.42", "rail": "10.50"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedNode:
    """One host and how its clock and logger differ from the others'."""

    name: str
    number: int  # 1-based, as in the name
    zone: str
    clock_offset_seconds: float  # its clock minus true time
    kernel_format: str  # journald, syslog or dmesg
    boot_at: float
    seed: int

    @property
    def ip(self) -> str:
        """Return its management address."""
        return f"10.42.{self.number // 100}.{self.number + 10}"

    @property
    def fqdn(self) -> str:
        """Return its long name."""
        return f"{self.name}.{CLUSTER}.aurora.example"

    def rail_ip(self, rail: int) -> str:
        """Return the address of one RDMA port."""
        return f"10.50.{rail}.{self.number + 10}"

    def local(self, at: float, zone: str | None = None) -> datetime:
        """Return what this host's clock shows at a true instant, in its or a container's zone."""
        return datetime.fromtimestamp(at + self.clock_offset_seconds, ZoneInfo(zone or self.zone))

    def gpu_uuid(self, index: int) -> str:
        """Return the UUID of a GPU as the driver prints it."""
        a = digest(seed=self.seed, name=f"uuid/{self.name}/{index}/a")
        b = digest(seed=self.seed, name=f"uuid/{self.name}/{index}/b")
        h = f"{a:016x}{b:016x}"
        return f"GPU-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:32]}"

    def gpu_serial(self, index: int) -> str:
        """Return the serial number of a GPU board."""
        number = digest(seed=self.seed, name=f"serial/{self.name}/{index}") % 10**9
        return f"1654{number:09d}"


def gpu_pci(index: int) -> str:
    """Return the PCI address of a GPU, `dddd:bb:dd.f`."""
    return f"0000:{GPU_BUSES[index]}:00.0"


def nic_pci(index: int) -> str:
    """Return the PCI address of an RDMA port; index 8 is the storage port."""
    return f"0000:{(*NIC_BUSES, STORAGE_NIC_BUS)[index]}:00.0"


def netdev(index: int) -> str:
    """Return the network interface of an RDMA port."""
    return f"enp{int((*NIC_BUSES, STORAGE_NIC_BUS)[index], 16)}s0np0"


def leaf_port(node: SimulatedNode, rail: int) -> tuple[str, str]:
    """Return the switch and port that a node's rail is plugged into: one leaf per rail."""
    return (f"leaf-{rail + 1:02d}", f"Ethernet{(node.number - 1) * 8}")


@dataclass(frozen=True, kw_only=True)
class SimulatedCluster:
    """All nodes of one seed."""

    seed: int

    @cached_property
    def nodes(self) -> tuple[SimulatedNode, ...]:
        """Return the nodes by number."""
        return tuple(self._node(number) for number in range(1, NODE_COUNT + 1))

    @cached_property
    def by_name(self) -> dict[str, SimulatedNode]:
        """Return the nodes by name."""
        return {node.name: node for node in self.nodes}

    @cached_property
    def _odd(self) -> tuple[str, ...]:
        names = [f"gpu{number:03d}" for number in range(1, NODE_COUNT + 1)]
        return tuple(Dice(seed=self.seed).sample("odd", names, 7))

    def _node(self, number: int) -> SimulatedNode:
        name = f"gpu{number:03d}"
        dice = Dice(seed=self.seed).at(name)
        return SimulatedNode(
            name=name,
            number=number,
            zone="America/Los_Angeles" if name == self._odd[0] else ZONE,
            clock_offset_seconds=round(self._offset(name, dice), 3),
            kernel_format=dice.choice("kernel format", ("journald", "journald", "syslog", "dmesg")),
            boot_at=1_790_000_000.0 - dice.between("uptime", 1e5, 9e5),
            seed=self.seed,
        )

    def _offset(self, name: str, dice: Dice) -> float:
        """Six hosts are far off, one of them by 40 s; the others as NTP leaves them."""
        if name == self._odd[1]:
            return dice.choice("sign", (-40.0, 40.0))
        if name in self._odd[2:]:
            return dice.between("far", -36.0, 36.0)
        return dice.between("near", -0.4, 0.4)


def inventory(*, cluster: SimulatedCluster, projects: dict[str, str]) -> dict[str, object]:
    """Return the document that the operator posts to `/api/v1/inventory`."""
    return {
        "cluster": CLUSTER,
        "simulated": True,
        "nodes": [_inventory_node(node) for node in cluster.nodes],
        "links": [
            {
                "a": {"host": node.name, "device": f"mlx5_{rail}"},
                "b": dict(zip(("switch", "port"), leaf_port(node, rail), strict=True)),
            }
            for node in cluster.nodes
            for rail in range(GPUS_PER_NODE)
        ],
        "mounts": [{"path": path, "server": FILE_SERVER, "hosts": ["*"]} for path, _ in MOUNTS],
        "projects": projects,
    }


def _inventory_node(node: SimulatedNode) -> dict[str, object]:
    gpus = [
        {
            "kind": "gpu",
            "index": index,
            "uuid": node.gpu_uuid(index),
            "pci": gpu_pci(index),
            "name": GPU_MODEL,
        }
        for index in range(GPUS_PER_NODE)
    ]
    nics = [
        {"kind": "nic", "index": index, "name": f"mlx5_{index}", "pci": nic_pci(index)}
        for index in range(GPUS_PER_NODE + 1)
    ]
    return {
        "name": node.name,
        "aliases": [node.fqdn, node.ip],
        "zone": node.zone,
        "devices": gpus + nics,
    }
