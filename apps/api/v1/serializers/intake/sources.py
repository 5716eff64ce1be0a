"""Sources as they are sent, and as an admin enters them. A credential goes in, never out."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.v1.serializers.fields import NameField, WordField
from apps.diagnosis.detection.metrics.coverage import CoverageLevel, CoveredPart, SubjectCoverage
from apps.diagnosis.detection.metrics.coverage.uneven import Uneven
from apps.telemetry.facade.sources import coverage_of
from apps.telemetry.metrics.coverage import SourceCoverage
from apps.telemetry.values import SourceView


class SourceSerializer(serializers.Serializer[SourceView]):
    """A source, how it is reached and how it is doing."""

    id = serializers.CharField(source="public_id", read_only=True)
    cluster = serializers.CharField(source="cluster.slug", read_only=True)
    kind = serializers.CharField(read_only=True)
    name = NameField(max_length=120)
    url = serializers.CharField(max_length=500)
    auth = WordField(choices=["none", "basic", "bearer"], default="none")
    has_credential = serializers.BooleanField(
        read_only=True, help_text="Say whether a credential is kept, and nothing more of it."
    )
    verify_tls = serializers.BooleanField(default=True)
    ca_pem = serializers.CharField(max_length=100_000, allow_blank=True, default="")
    allowed_networks = serializers.ListField(
        child=serializers.CharField(max_length=50), max_length=50, default=list
    )
    label_map = serializers.DictField(
        child=WordField(choices=["host", "cluster", "gpu", "uuid", "pci"]),
        default=dict,
    )
    zone = serializers.CharField(max_length=64, allow_blank=True, default="")
    enabled = serializers.BooleanField(source="is_enabled", default=True)
    simulated = serializers.BooleanField(source="is_simulated", read_only=True)
    state = serializers.CharField(read_only=True)
    last_success_at = serializers.DateTimeField(read_only=True, allow_null=True)
    last_attempt_at = serializers.DateTimeField(read_only=True, allow_null=True)
    last_error = serializers.CharField(read_only=True)
    series_count = serializers.IntegerField(read_only=True, allow_null=True)


class CoveredPartSerializer(serializers.Serializer[CoveredPart]):
    """One thing to measure: the metrics that do, or what would."""

    name = serializers.CharField(source="part.name")
    state = WordField(choices=[state.value for state in CoverageLevel])
    metrics = serializers.ListField(child=serializers.CharField())
    given_by = serializers.SerializerMethodField(help_text="Exporter and flag, or where to look.")

    def get_given_by(self, part: CoveredPart) -> str:
        """Return what would give it, or where else to look."""
        return part.part.given_by or part.part.unsupported


class CoveredSubjectSerializer(serializers.Serializer[SubjectCoverage]):
    """What metrics should tell of one thing. Absent is not zero and not well."""

    subject = serializers.CharField(source="subject.key")
    name = serializers.CharField(source="subject.name")
    layer = serializers.CharField(source="subject.layer")
    state = WordField(choices=[state.value for state in CoverageLevel])
    without = serializers.CharField(source="subject.without")
    parts = CoveredPartSerializer(many=True)


class LackingSerializer(serializers.Serializer[Uneven]):
    """What most hosts have and some lack."""

    exporter = serializers.CharField()
    family = serializers.CharField(help_text="Empty: all of the exporter.")
    signals = serializers.ListField(child=serializers.CharField())
    hosts = serializers.ListField(child=serializers.CharField(), source="missing")
    host_count = serializers.IntegerField()


class MetricsCoverageSerializer(serializers.Serializer[SourceCoverage]):
    """What a source can tell, by the metric names of its last reading."""

    read_at = serializers.DateTimeField(source="at")
    name_count = serializers.IntegerField()
    subjects = CoveredSubjectSerializer(many=True, source="covered")
    lacking = LackingSerializer(many=True)


class SourceDetailSerializer(SourceSerializer):
    """One source and what it can tell."""

    coverage = serializers.SerializerMethodField(help_text="Null: it was never read.")

    @extend_schema_field(MetricsCoverageSerializer(allow_null=True))
    def get_coverage(self, source: SourceView) -> dict[str, Any] | None:
        """Return what its metrics measure and what they don't."""
        told = coverage_of(actor=self.context["actor"], sources=[source])
        return dict(MetricsCoverageSerializer(told).data) if told else None


class SourceEntrySerializer(SourceSerializer):
    """A source as it is entered."""

    credential = serializers.CharField(
        max_length=4000,
        write_only=True,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="Token, or user:password for basic. Write-only; empty removes it.",
    )


class SourceCreateSerializer(SourceEntrySerializer):
    """A new source."""

    cluster = serializers.CharField(max_length=60)


def changes(entry: SourceEntrySerializer) -> tuple[dict[str, Any], str | None]:
    """Return the given values by column, and the credential apart from them."""
    values = dict(entry.validated_data)
    credential = values.pop("credential", None)
    values.pop("cluster", None)
    return values, credential
