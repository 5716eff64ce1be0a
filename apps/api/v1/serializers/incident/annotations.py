"""Annotations as they are sent, and as people write them."""

from typing import Any

from rest_framework import serializers

from apps.incidents.entries import TEXT_LIMIT, Audience, Note
from apps.incidents.projection.values import AnnotationVersion


class AnnotationSerializer(serializers.Serializer[AnnotationVersion]):
    """What a person wrote. The audience is told to its own organization only."""

    id = serializers.CharField(source="public_id")
    version = serializers.IntegerField()
    text = serializers.CharField()
    lane = serializers.CharField()
    starts_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    organization = serializers.CharField(source="organization.slug")
    author = serializers.CharField(source="author_name")
    audience = serializers.SerializerMethodField()
    withdrawn = serializers.BooleanField(source="is_withdrawn")
    created_at = serializers.DateTimeField()

    def get_audience(self, note: AnnotationVersion) -> list[str] | None:
        """Return who else reads it; null: the author's business."""
        if note.organization.id != self.context["reader"]:
            return None
        slugs: dict[int, str] = self.context["slugs"]
        return sorted(slugs[each] for each in note.audience if each in slugs)


class AnnotationEntrySerializer(serializers.Serializer[Any]):
    """What is written, where it belongs, and who shall read it besides one's own organization."""

    text = serializers.CharField(max_length=TEXT_LIMIT)
    lane = serializers.CharField(max_length=12, allow_blank=True, default="")
    starts_at = serializers.DateTimeField(allow_null=True, default=None)
    ends_at = serializers.DateTimeField(allow_null=True, default=None)
    audience = serializers.ListField(
        child=serializers.SlugField(max_length=40),
        max_length=100,
        default=list,
        help_text="Slugs of parties of the incident.",
    )
    all_parties = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a window that ends before it starts."""
        starts_at, ends_at = attrs.get("starts_at"), attrs.get("ends_at")
        if ends_at is not None and (starts_at is None or ends_at < starts_at):
            raise serializers.ValidationError({"ends_at": "not before starts_at"})
        return attrs


def note_of(values: dict[str, Any]) -> Note:
    """Return the words and their place."""
    return Note(**{name: values[name] for name in ("text", "lane", "starts_at", "ends_at")})


def audience_of(values: dict[str, Any]) -> Audience:
    """Return who shall read it."""
    return Audience(
        organizations=tuple(values["audience"]), all_parties=bool(values["all_parties"])
    )
