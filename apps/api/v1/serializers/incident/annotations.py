"""Annotations as they are sent, and as people write them."""

from typing import Any

from rest_framework import serializers

from apps.incidents.entries import TEXT_LIMIT, Audience, Note
from apps.incidents.projection.values import AnnotationVersion


class AnnotationSerializer(serializers.Serializer[AnnotationVersion]):
    """What a person wrote. The audience and own people are told to its own organization only."""

    id = serializers.CharField(source="public_id")
    version = serializers.IntegerField()
    text = serializers.CharField()
    lane = serializers.CharField()
    starts_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    answers = serializers.CharField(
        help_text="The id of the annotation that this is a reply to; empty: of none."
    )
    mentions = serializers.SerializerMethodField(
        help_text="Slugs of the parties that the text mentions with an @."
    )
    organization = serializers.CharField(source="organization.slug")
    author = serializers.CharField(source="author_name")
    audience = serializers.SerializerMethodField()
    withdrawn = serializers.BooleanField(
        source="is_withdrawn",
        help_text="Taken back by `author` at `created_at`: its words are gone.",
    )
    unread = serializers.SerializerMethodField(
        help_text="Whether the person who asks has not seen this version; null: for a token."
    )
    created_at = serializers.DateTimeField()

    def get_mentions(self, note: AnnotationVersion) -> list[str]:
        """Return which parties it mentions."""
        slugs: dict[int, str] = self.context["slugs"]
        return sorted(slugs[each] for each in note.mentioned_parties if each in slugs)

    def get_unread(self, note: AnnotationVersion) -> bool | None:
        """Return whether it is new to the person who asks."""
        unread: frozenset[int] | None = self.context["unread"]
        return None if unread is None else note.id in unread

    def get_audience(self, note: AnnotationVersion) -> list[str] | None:
        """Return who else reads it; null: the author's business."""
        if note.organization.id != self.context["reader"]:
            return None
        slugs: dict[int, str] = self.context["slugs"]
        return sorted(slugs[each] for each in note.audience if each in slugs)


class AnnotationWordsSerializer(serializers.Serializer[Any]):
    """What is written, where it belongs, and who shall read it besides one's own organization."""

    text = serializers.CharField(max_length=TEXT_LIMIT)
    lane = serializers.CharField(max_length=12, allow_blank=True, default="")
    starts_at = serializers.DateTimeField(allow_null=True, default=None)
    ends_at = serializers.DateTimeField(allow_null=True, default=None)
    audience = serializers.ListField(
        child=serializers.SlugField(max_length=40),
        max_length=100,
        default=list,
        help_text="Slugs of parties of the incident; of a reply, of those who read what it "
        "answers. A party that `text` mentions has to be among them.",
    )
    all_parties = serializers.BooleanField(
        default=False, help_text="For a reply: all who read what it answers."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a window that ends before it starts."""
        starts_at, ends_at = attrs.get("starts_at"), attrs.get("ends_at")
        if ends_at is not None and (starts_at is None or ends_at < starts_at):
            raise serializers.ValidationError({"ends_at": "not before starts_at"})
        return attrs


class AnnotationEntrySerializer(AnnotationWordsSerializer):
    """A new annotation, or a reply to one."""

    answers = serializers.CharField(
        max_length=20,
        allow_blank=True,
        default="",
        help_text="The id of an annotation that is no reply itself.",
    )


class AnnotationRevisionSerializer(AnnotationWordsSerializer):
    """What is changed of an annotation."""

    version = serializers.IntegerField(
        min_value=1,
        default=None,
        allow_null=True,
        help_text="The version that was read before; where it is not the newest, 409 "
        "`already_changed` with the newest as `current`.",
    )


class ReadCountSerializer(serializers.Serializer[Any]):
    """How many annotations were new."""

    read = serializers.IntegerField()


def note_of(values: dict[str, Any]) -> Note:
    """Return the words and their place."""
    names = ("text", "lane", "starts_at", "ends_at", "answers")
    return Note(**{name: values[name] for name in names if name in values})


def audience_of(values: dict[str, Any]) -> Audience:
    """Return who shall read it."""
    return Audience(
        organizations=tuple(values["audience"]), all_parties=bool(values["all_parties"])
    )
