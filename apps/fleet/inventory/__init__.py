"""What uploads and metric labels say of nodes, devices, links, mounts, projects → rows."""

from apps.fleet.inventory.device_records import record_devices
from apps.fleet.inventory.inventory_records import record
from apps.fleet.inventory.inventory_report import (
    DeviceReport,
    InventoryReport,
    LinkReport,
    MountReport,
    NodeReport,
)
from apps.fleet.inventory.permitted_inventory import Permitted, permitted

__all__ = [
    "DeviceReport",
    "InventoryReport",
    "LinkReport",
    "MountReport",
    "NodeReport",
    "Permitted",
    "permitted",
    "record",
    "record_devices",
]
