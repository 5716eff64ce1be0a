"""What metrics told of early, as it is sent: warnings, and signals of one family."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import StatementField
from apps.api.v1.serializers.incident.shared import SharedAsSerializer
from apps.incidents.projection.shared_values import SharedWarning
from apps.telemetry.values import EpisodeView


class PartSerializer(serializers.Serializer[dict[str, Any]]):
    """A part of the cluster; what is not known is left out."""

    kind = serializers.CharField()
    host = serializers.CharField(required=False)
    index = serializers.IntegerField(required=False)
    uuid = serializers.CharField(required=False)
    pci = serializers.CharField(required=False)
    name = serializers.CharField(required=False)


class ContributionSerializer(serializers.Serializer[dict[str, Any]]):
    """What one family of metrics adds to a warning."""

    family = serializers.CharField()
    layer = serializers.CharField()
    kind = serializers.CharField(help_text="The detector's word, as peer-deviation.")
    signal = serializers.CharField()
    entity = PartSerializer()
    starts_at = serializers.DateTimeField()
    noticed_at = serializers.DateTimeField(help_text="When somebody who sees only the past knew.")
    weight = serializers.FloatField(help_text="Evidence in 0..1.")
    value = serializers.FloatField(allow_null=True)
    baseline = serializers.FloatField(allow_null=True)
    unit = serializers.CharField(allow_blank=True)
    detail = serializers.CharField(allow_blank=True)


class WarningSerializer(serializers.Serializer[EpisodeView]):
    """Findings that belong together: a warning with two families, a signal with one."""

    id = serializers.CharField(source="public_id")
    cluster = serializers.CharField(source="cluster.slug")
    kind = serializers.SerializerMethodField(help_text="warning or signal")
    simulated = serializers.BooleanField(source="is_simulated")
    layer = serializers.CharField()
    entity = PartSerializer()
    score = serializers.FloatField(help_text="Evidence in 0..1.")
    fatal = serializers.BooleanField(source="is_fatal")
    starts_at = serializers.DateTimeField()
    raised_at = serializers.DateTimeField()
    told_at = serializers.DateTimeField(help_text="When the portal knew.")
    ends_at = serializers.DateTimeField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    families = serializers.ListField(child=serializers.CharField())
    hosts = serializers.ListField(child=serializers.CharField())
    causes = serializers.ListField(child=serializers.CharField())
    wording = StatementField(source="statement")
    contributions = ContributionSerializer(many=True)

    def get_kind(self, episode: EpisodeView) -> str:
        """Say whether it is worth waking somebody."""
        return "warning" if episode.is_page else "signal"


class SharedWarningSerializer(serializers.Serializer[SharedWarning]):
    """A warning that another party shows; what its agreement does not show is left out of it."""

    shared = SharedAsSerializer()
    warning = WarningSerializer(source="episode")
