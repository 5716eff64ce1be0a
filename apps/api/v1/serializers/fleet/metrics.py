"""A metric of a cluster's parts at one instant, as it is sent. What nobody tells is null."""

from rest_framework import serializers

from apps.api.v1.serializers.incident.shared import SharedAsSerializer
from apps.diagnosis.model import Signal
from apps.reliability.fleet_grid.values import FleetNode, FleetView, NodeSession
from apps.telemetry.facade.fleet_metrics import XidMark


class FleetMetricSerializer(serializers.Serializer[Signal]):
    """A metric of the catalog."""

    name = serializers.CharField()
    title = serializers.CharField()
    entity = serializers.CharField(help_text="gpu, nic, node or disk")
    unit = serializers.CharField(help_text="Of a counter: values are growth a second.")
    semantics = serializers.CharField()
    bad = serializers.CharField(help_text="Which direction is bad: up, down, either or none.")


class XidMarkSerializer(serializers.Serializer[XidMark]):
    """An Xid or SXid of the hour before the instant."""

    code = serializers.CharField()
    gpu = serializers.IntegerField(allow_null=True)
    pci = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField()


class NodeSessionSerializer(serializers.Serializer[NodeSession]):
    """The session that ran on the node."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField(allow_blank=True)
    attempt = serializers.IntegerField(source="number")


class FleetNodeSerializer(serializers.Serializer[FleetNode]):
    """One node: `parts`, `values`, `age_seconds` and `from_peers` are columns of one length."""

    host = serializers.CharField()
    standing = serializers.ChoiceField(
        choices=["held", "no-data", "hidden"],
        help_text="hidden: others may hold it; whether they do is not told.",
    )
    parts = serializers.ListField(child=serializers.CharField(allow_blank=True))
    values = serializers.ListField(child=serializers.FloatField(allow_null=True))
    age_seconds = serializers.ListField(
        child=serializers.FloatField(allow_null=True), source="ages"
    )
    from_peers = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        source="distances",
        help_text="Robust standard deviations from nodes of the same session, more is worse.",
    )
    xids = XidMarkSerializer(many=True)
    excluded = serializers.CharField(
        source="out", allow_blank=True, help_text="How it is left out; empty: it is not."
    )
    session = NodeSessionSerializer(allow_null=True)
    shared = SharedAsSerializer(
        allow_null=True, help_text="Who shows it; null for what one's own sources tell."
    )


class FleetSerializer(serializers.Serializer[FleetView]):
    """A cluster's nodes at one instant, the worst unlike their peers first."""

    cluster = serializers.CharField(source="cluster.slug")
    simulated = serializers.BooleanField(source="is_simulated")
    at = serializers.DateTimeField()
    oldest = serializers.DateTimeField(help_text="So far back anything is kept.")
    metric = FleetMetricSerializer(source="signal")
    nodes = FleetNodeSerializer(many=True)
    metrics = serializers.ListField(
        child=serializers.CharField(),
        source="signal_names",
        help_text="What else is told of then, or shown.",
    )
