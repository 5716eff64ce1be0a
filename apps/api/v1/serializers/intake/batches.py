"""Bodies of logs as they are sent: what became of them, never what they say."""

from rest_framework import serializers

from apps.telemetry.values import BatchView


class SetAsideSerializer(serializers.Serializer[BatchView]):
    """A body that could not be read. It is kept, and read again after an upgrade."""

    id = serializers.CharField(source="public_id")
    cluster = serializers.CharField(source="cluster.slug", default=None, allow_null=True)
    protocol = serializers.CharField()
    received_at = serializers.DateTimeField()
    set_aside_at = serializers.DateTimeField(source="finished_at", allow_null=True)
    line_count = serializers.IntegerField()
    byte_count = serializers.IntegerField()
    reason = serializers.CharField(source="error")
