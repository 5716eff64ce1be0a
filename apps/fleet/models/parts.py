"""Nodes, the parts that sit in them, and what connects them."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from apps.fleet.models.clusters import Cluster
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class Node(OwnedModel):
    """A host. Owned by the operator."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=253)  # short host name, lower case
    aliases = ArrayField(
        models.CharField(max_length=253), default=list
    )  # FQDN, IP addresses, other spellings
    zone = models.CharField(max_length=64, blank=True)  # IANA
    first_seen_at = ReportedTimeField()
    last_seen_at = ReportedTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "cluster", "name"], name="node_once")
        ]
        indexes: ClassVar = [GinIndex(fields=["aliases"], name="node_aliases")]

    def __str__(self) -> str:
        return self.name


class Sighting(OwnedModel):
    """A part as somebody described it over a span: what `Device` rows are worked out from."""

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16)
    index = models.IntegerField(null=True)
    uuid = models.CharField(max_length=64, blank=True)
    serial = models.CharField(max_length=64, blank=True)
    pci = models.CharField(max_length=20, blank=True)
    name = models.CharField(max_length=120, blank=True)
    netdev = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=120, blank=True)
    starts_at = ReportedTimeField()
    ends_at = ReportedTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "node",
                    "kind",
                    "index",
                    "uuid",
                    "serial",
                    "pci",
                    "name",
                    "netdev",
                    "model",
                    "starts_at",
                ],
                nulls_distinct=False,
                name="sighting_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "uuid"],
                condition=~models.Q(uuid=""),
                name="sighting_by_uuid",
            ),
            models.Index(
                fields=["organization", "serial"],
                condition=~models.Q(serial=""),
                name="sighting_by_serial",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.uuid or self.name or self.index} of node {self.node_id}"


class Device(OwnedModel):
    """A part in its place over a span: this board at this index and address of this node.

    GPUs, NICs, NVSwitches, disks, and pods. Worked out from all sightings, whatever their order
    (`apps.fleet.devices.device_history`); the same board may have several placements.
    """

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16)  # gpu nic nvswitch disk pod
    name = models.CharField(max_length=120, blank=True)  # mlx5_0, or the model of a GPU
    index = models.IntegerField(null=True)
    uuid = models.CharField(max_length=64, blank=True)  # lower case, without GPU-
    serial = models.CharField(max_length=64, blank=True)
    pci = models.CharField(max_length=20, blank=True)  # dddd:bb:dd.f
    netdev = models.CharField(max_length=60, blank=True)  # network interface of a NIC
    first_seen_at = ReportedTimeField()  # its placement begins
    last_seen_at = ReportedTimeField()  # before its begin where others' reports began the placement
    replaced_at = ReportedTimeField(null=True)  # its placement ended: another is there, or it moved

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "node",
                    "kind",
                    "index",
                    "uuid",
                    "pci",
                    "name",
                    "first_seen_at",
                ],
                nulls_distinct=False,
                name="device_stay_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "uuid"], condition=~models.Q(uuid=""), name="device_by_uuid"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.index if self.index is not None else self.name}"


class Link(OwnedModel):
    """A cable between a device and a switch port, or two devices."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    host = models.CharField(max_length=253)
    device = models.CharField(max_length=120)
    switch = models.CharField(max_length=253)
    port = models.CharField(max_length=60)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "host", "device"], name="link_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.host}/{self.device} - {self.switch}/{self.port}"


class Mount(OwnedModel):
    """A file system that nodes mount from a server."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=500)
    server = models.CharField(max_length=253)
    hosts = ArrayField(models.CharField(max_length=253), default=list)  # empty: every node

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "cluster", "path"], name="mount_once")
        ]

    def __str__(self) -> str:
        return f"{self.server}:{self.path}"
