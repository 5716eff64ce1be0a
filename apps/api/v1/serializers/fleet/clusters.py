"""Clusters as they are sent."""

from rest_framework import serializers

from apps.fleet.models import Cluster


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
