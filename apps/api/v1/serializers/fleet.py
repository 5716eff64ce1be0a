"""Clusters, nodes and sessions as they are sent."""

from typing import Any, ClassVar

from rest_framework import serializers

from apps.api.v1.serializers.listing import sent
from apps.fleet.models import Cluster, Device, Node
from apps.fleet.values import AttemptView, SessionView


class DeviceSerializer(serializers.ModelSerializer[Device]):
    """A GPU, NIC, NVSwitch or disk in its place, from `first_seen_at` to `replaced_at`."""

    class Meta:
        model = Device
        fields: ClassVar = [
            *("kind", "name", "index", "uuid", "serial", "pci", "netdev"),
            *("first_seen_at", "last_seen_at", "replaced_at"),
        ]


class ClusterSerializer(serializers.Serializer[Cluster]):
    """A cluster and in which parts the reader takes part."""

    id = serializers.CharField(source="slug")
    name = serializers.CharField()
    simulated = serializers.BooleanField(source="is_simulated")
    parts = serializers.SerializerMethodField()

    def get_parts(self, cluster: Cluster) -> list[str]:
        """Return the reader's own parts."""
        own: dict[int, list[str]] = self.context["parts"]
        return own.get(cluster.pk, [])


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


class AttemptSerializer(serializers.Serializer[AttemptView]):
    """One start of a session.

    `field_sources` names who reported what, when, and whether that is asserted or claimed;
    `contradictions` what others said of the same and did not hold. While `hosts_asserted` is
    false, what others know of these hosts does not join it. With `undiagnosed_at` its diagnosis
    has failed since then: what is said of it may be missing or old. At `doubted_at` an exception
    was printed of which nothing says yet whether it ended the attempt or was caught. With `cut`
    hosts, ranks, exit codes and who reported them are left out: there is too much of them for one
    answer, and the newest attempts come first.
    """

    number = serializers.IntegerField()
    state = serializers.CharField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField()
    hosts = serializers.ListField(child=serializers.CharField())
    hosts_asserted = serializers.BooleanField()
    world_size = serializers.IntegerField()
    ranks = serializers.JSONField()
    exit_codes = serializers.JSONField()
    field_sources = serializers.JSONField()
    contradictions = serializers.JSONField()
    undiagnosed_at = serializers.DateTimeField()
    doubted_at = serializers.DateTimeField()
    degraded = serializers.BooleanField(
        source="is_degraded",
        help_text="It lost GPUs and runs on without them, or did when it ended.",
    )
    lost_gpus = serializers.IntegerField(
        source="lost_gpu_count",
        allow_null=True,
        help_text="null: nothing is told of recovery in place.",
    )
    alive_gpus = serializers.IntegerField(
        source="alive_gpu_count",
        allow_null=True,
        help_text="null: not told, or how many it began with is not.",
    )
    cut = serializers.BooleanField(source="is_cut")


class SessionSerializer(serializers.Serializer[SessionView]):
    """A training session with its attempts."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    job = serializers.CharField()
    project = serializers.CharField()
    scheduler = serializers.CharField()
    cluster = serializers.CharField(source="cluster.slug", default=None, allow_null=True)
    owner = serializers.CharField(source="organization.slug")
    simulated = serializers.BooleanField(source="is_simulated")
    created_at = serializers.DateTimeField()
    attempts = serializers.SerializerMethodField()

    def get_attempts(self, session: SessionView) -> list[dict[str, Any]]:
        """Return its starts, first one first."""
        return sent(AttemptSerializer, self.context["attempts"].get(session.id, []))
