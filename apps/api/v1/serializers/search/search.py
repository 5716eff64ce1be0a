"""What the search found, as it is sent."""

from typing import Any

from rest_framework import serializers

from apps.search.values import Hit, HitGroup, HitKind, LineCoverage, SearchResult

KINDS = ", ".join(HitKind)


class FoundThingSerializer(serializers.Serializer[Hit]):
    """One thing that was found. What does not apply is empty."""

    kind = serializers.CharField(help_text=KINDS)
    id = serializers.CharField(help_text="Its public id, name or reference.")
    title = serializers.CharField()
    detail = serializers.CharField(help_text="Where the text was met, if not in the title.")
    cluster = serializers.CharField()
    host = serializers.CharField()
    incident = serializers.CharField(help_text="The incident that an annotation stands in.")
    session = serializers.CharField(help_text="The session that a log line is of.")
    layer = serializers.CharField()
    at = serializers.DateTimeField(allow_null=True)


class FoundGroupSerializer(serializers.Serializer[HitGroup]):
    """What was found of one kind."""

    kind = serializers.CharField(help_text=KINDS)
    hits = FoundThingSerializer(many=True)
    has_more = serializers.BooleanField(help_text="There is more than is sent: narrow it.")


class LineCoverageSerializer(serializers.Serializer[LineCoverage]):
    """How far the search went through one's own log lines, the newest received first."""

    line_count = serializers.IntegerField()
    whole = serializers.BooleanField(source="is_whole", help_text="Nothing older is left out.")
    reached = serializers.DateField(allow_null=True, help_text="Since which day of arrival.")


class SearchSerializer(serializers.Serializer[SearchResult]):
    """What one may read that holds a text, by kind; kinds without anything are left out."""

    text = serializers.CharField(source="query.text", help_text="What was looked for.")
    prefix = serializers.CharField(source="query.prefix", help_text="What narrowed it, or empty.")
    groups = FoundGroupSerializer(many=True)
    lines = LineCoverageSerializer(
        allow_null=True, help_text="Null: log lines were not looked through."
    )


class SearchQuerySerializer(serializers.Serializer[Any]):
    """What is looked for: a text of 2 to 200 letters, with a prefix such as `host:` or `xid:79`."""

    q = serializers.CharField(max_length=220)
