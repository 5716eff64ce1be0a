"""Hosts and their devices as they are sent."""

from typing import Any, ClassVar

from rest_framework import serializers

from apps.api.v1.serializers.listing import sent
from apps.fleet.models import Device, Node


class DeviceSerializer(serializers.ModelSerializer[Device]):
    """A GPU, NIC, NVSwitch or disk in its place, from `first_seen_at` to `replaced_at`."""

    class Meta:
        model = Device
        fields: ClassVar = [
            *("kind", "name", "index", "uuid", "serial", "pci", "netdev"),
            *("first_seen_at", "last_seen_at", "replaced_at"),
        ]


class NodeSerializer(serializers.Serializer[Node]):
    """A host."""

    id = serializers.SerializerMethodField()
    name = serializers.CharField()
    cluster = serializers.CharField(source="cluster.slug")
    aliases = serializers.ListField(child=serializers.CharField())
    zone = serializers.CharField()
    first_seen_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField()

    def get_id(self, node: Node) -> str:
        """Return what names the node among those of all clusters."""
        return f"{node.cluster.slug}:{node.name}"


class NodeDetailSerializer(NodeSerializer):
    """A host with its devices."""

    devices = serializers.SerializerMethodField()
    former_devices = serializers.SerializerMethodField()
    sessions = serializers.SerializerMethodField()

    def get_devices(self, _node: Node) -> list[dict[str, Any]]:
        """Return the parts that sit in it now, or sat in it at the time that was asked for."""
        return sent(DeviceSerializer, self.context["devices"])

    def get_former_devices(self, _node: Node) -> list[dict[str, Any]]:
        """Return the parts that sat in it, or elsewhere in it, before."""
        return sent(DeviceSerializer, self.context["former_devices"])

    def get_sessions(self, _node: Node) -> list[str]:
        """Return the sessions that ran on it then, by their hosts and spans."""
        return [session.public_id for session in self.context["sessions"]]
