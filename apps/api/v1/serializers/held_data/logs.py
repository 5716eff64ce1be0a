"""Held logs and their lines, as they are sent."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.diagnosis.input_values import MOST_ROWS
from apps.diagnosis.model import Stream
from apps.telemetry.held_logs.line_pages import MOST_LINES, PAGE_LINES
from apps.telemetry.held_logs.line_reading import LEVELS
from apps.telemetry.held_logs.values import (
    HeldExtent,
    HeldLine,
    HeldStream,
    LineGap,
    LineMark,
    LinePage,
    SearchPage,
)

NUMBER: dict[str, Any] = {"required": False, "min_value": 1, "max_value": MOST_ROWS}


class HeldStreamSerializer(serializers.Serializer[HeldStream]):
    """A log of one's own. Times are null where its lines have none with a zone."""

    key = serializers.CharField(help_text="Names it below `logs/`.")
    kind = serializers.CharField()
    host = serializers.CharField()
    rank = serializers.IntegerField(allow_null=True)
    cluster = serializers.CharField()
    session = serializers.CharField()
    session_name = serializers.CharField()
    line_count = serializers.IntegerField(help_text="Ever read, also of what is not kept any more.")
    first_at = serializers.DateTimeField(allow_null=True)
    last_at = serializers.DateTimeField(allow_null=True)
    is_simulated = serializers.BooleanField()


class HeldExtentSerializer(serializers.Serializer[HeldExtent]):
    """How much of a log is kept."""

    kept_lines = serializers.IntegerField()
    gone_lines = serializers.IntegerField()
    excerpt_lines = serializers.IntegerField(help_text="Of those kept: only around citations.")
    kept_bytes = serializers.IntegerField(help_text="As stored, compressed.")
    first_kept = serializers.IntegerField(allow_null=True)
    keep_days = serializers.IntegerField(allow_null=True)


class LogDetailSerializer(serializers.Serializer[Any]):
    """A log of one's own and how much of it is kept."""

    log = HeldStreamSerializer()
    kept = HeldExtentSerializer()


class LineMarkSerializer(serializers.Serializer[LineMark]):
    """What a signature recognised in a line."""

    signature = serializers.CharField()
    layer = serializers.CharField()
    role = serializers.CharField()
    severity = serializers.CharField()


class HeldLineSerializer(serializers.Serializer[HeldLine]):
    """A line as it came in, and what its own prefix says."""

    number = serializers.IntegerField()
    text = serializers.CharField()
    is_cut = serializers.BooleanField(help_text="The text goes on.")
    at = serializers.DateTimeField(allow_null=True)
    is_envelope_time = serializers.BooleanField()
    local_at = serializers.DateTimeField(
        allow_null=True, help_text="As printed, where nobody knows the zone."
    )
    host = serializers.CharField()
    rank = serializers.IntegerField(allow_null=True)
    level = serializers.CharField(help_text="Empty where it prints none.")
    marks = LineMarkSerializer(many=True)


class LineGapSerializer(serializers.Serializer[LineGap]):
    """Numbers of lines that are not kept any more."""

    first = serializers.IntegerField()
    last = serializers.IntegerField()


class LinePageSerializer(serializers.Serializer[LinePage]):
    """Consecutive lines. `before` and `from` of the next pages are null where there is no more."""

    lines = HeldLineSerializer(many=True)
    gaps = LineGapSerializer(many=True)
    older_before = serializers.SerializerMethodField()
    newer_from = serializers.SerializerMethodField()

    def get_older_before(self, page: LinePage) -> int | None:
        """Return what the page of older lines takes as `before`."""
        return page.first if page.has_older else None

    def get_newer_from(self, page: LinePage) -> int | None:
        """Return what the page of newer lines takes as `from`."""
        return page.last + 1 if page.has_newer and page.last else None


class SearchPageSerializer(serializers.Serializer[SearchPage]):
    """Lines that match, and how far the search got."""

    lines = HeldLineSerializer(many=True)
    searched_lines = serializers.IntegerField()
    missing_lines = serializers.IntegerField(
        help_text="Not kept any more: nobody knows whether they match."
    )
    next_number = serializers.IntegerField(
        allow_null=True, help_text="Where the search goes on; null: it is through."
    )


class LogFilterSerializer(serializers.Serializer[Any]):
    """Narrow the list of logs."""

    session = serializers.CharField(max_length=253, default="")
    host = serializers.CharField(max_length=253, default="")
    kind = WordField(choices=[each.value for each in Stream], required=False)


class LinePlaceSerializer(serializers.Serializer[Any]):
    """Which lines; without any place the newest. Of several places the first counts."""

    line = serializers.IntegerField(**NUMBER)
    at = serializers.DateTimeField(required=False)
    before = serializers.IntegerField(**NUMBER)
    limit = serializers.IntegerField(min_value=1, max_value=MOST_LINES, default=PAGE_LINES)

    def get_fields(self) -> dict[str, Any]:
        """Return the fields; `from` is no name that Python takes."""
        return {**super().get_fields(), "from": serializers.IntegerField(**NUMBER)}


class LogSearchSerializer(serializers.Serializer[Any]):
    """What is searched for, from where, in which direction."""

    q = serializers.CharField(max_length=500, default="", trim_whitespace=False)
    mode = WordField(choices=["text", "pattern"], default="text")
    exact_case = serializers.BooleanField(default=False)
    level = WordField(choices=list(LEVELS), required=False)
    number = serializers.IntegerField(**NUMBER)
    backward = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a search for nothing."""
        if not attrs["q"] and not attrs.get("level"):
            raise serializers.ValidationError({"q": "say a text or a level"})
        return attrs
