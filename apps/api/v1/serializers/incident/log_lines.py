"""Explanations and moments with what their log lines say: those of the reader's own logs, alone."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.api.v1.serializers.incident.cited_facts import CapturedField
from apps.api.v1.serializers.incident.hypotheses import (
    BareEvidenceSerializer,
    BareHypothesisSerializer,
)
from apps.api.v1.serializers.incident.shared import SharedLineSerializer
from apps.api.v1.serializers.incident.timeline import BareTimelineSerializer
from apps.diagnosis.model import Stream
from apps.incidents.projection.shared.shared_context import place_of
from apps.incidents.projection.values import EvidencePiece, LineContext
from apps.telemetry.logs.raw_lines import CitedLine, RawLine

# Whoever asks for a line has it from where the line is cited.
WANTED = "say it; `log_line` of a piece of evidence does"
NEEDED: dict[str, Any] = {"required": WANTED, "blank": WANTED}


class LogLineSerializer(serializers.Serializer[CitedLine]):
    """A line of the reader's own logs."""

    stream = serializers.CharField()
    host = serializers.CharField()
    number = serializers.IntegerField()
    at = serializers.DateTimeField(allow_null=True)
    text = serializers.CharField(allow_null=True, help_text="null: not kept any more")


class RawLineSerializer(serializers.Serializer[RawLine]):
    """A line of a log as it came in."""

    number = serializers.IntegerField()
    at = serializers.DateTimeField(allow_null=True, help_text="of its envelope, where it had one")
    text = serializers.CharField()


class LineContextSerializer(serializers.Serializer[LineContext]):
    """A cited line of the reader's own logs among its neighbours."""

    stream = serializers.CharField()
    host = serializers.CharField()
    number = serializers.IntegerField()
    lines = RawLineSerializer(many=True, help_text="In order. Empty: not kept any more.")
    cited = serializers.SerializerMethodField()

    @extend_schema_field(
        serializers.ListField(
            child=serializers.IntegerField(), help_text="Numbers of those that are evidence."
        )
    )
    def get_cited(self, context: LineContext) -> list[int]:
        """Return which of the lines explanations rest on."""
        return sorted(context.cited)


class LineQuerySerializer(serializers.Serializer[Any]):
    """Which cited line: as `log_line` of a piece of evidence names it."""

    stream = WordField(choices=[each.value for each in Stream], error_messages=NEEDED)
    host = serializers.CharField(max_length=253, allow_blank=True, default="")
    number = serializers.IntegerField(min_value=1, max_value=2**63 - 1, error_messages=NEEDED)


class EvidenceSerializer(BareEvidenceSerializer):
    """A weighed piece of evidence with the line that it was read from."""

    fields = CapturedField(source="fact.fields")  # type: ignore[assignment]  # published name
    log_line = serializers.SerializerMethodField()
    shared_line = SharedLineSerializer(
        allow_null=True,
        help_text="The line behind what another party shows, where that is shown, too.",
    )

    place = serializers.SerializerMethodField()

    @extend_schema_field(
        serializers.CharField(help_text="Names it for `shared-log-lines/`, where a line is shown.")
    )
    def get_place(self, item: EvidencePiece) -> str:
        """Return what names the piece within its incident and holder; empty without a line."""
        if item.shared_line is None:
            return ""
        return place_of(cause=item.cause, side=item.side, position=item.position)

    @extend_schema_field(
        LogLineSerializer(
            allow_null=True,
            help_text="The line as your organization sent it; nobody else and no export has it. "
            "null: read from no line.",
        )
    )
    def get_log_line(self, item: EvidencePiece) -> dict[str, Any] | None:
        """Return the line of the reader's own logs."""
        lines: Mapping[str, CitedLine] = self.context["lines"]
        line = lines.get(item.reference)
        return None if line is None else dict(LogLineSerializer(line).data)


class HypothesisSerializer(BareHypothesisSerializer):
    """One explanation with the reader's evidence, its lines, and counts of what others hold."""

    supporting = EvidenceSerializer(source="supporting", many=True)
    opposing = EvidenceSerializer(source="opposing", many=True)


class TimelineSerializer(BareTimelineSerializer):
    """A moment of the story with what its line says."""

    fields = CapturedField(source="detail.fields")  # type: ignore[assignment]  # published name
