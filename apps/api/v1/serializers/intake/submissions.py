"""Submissions as they are sent: what became of an inventory or of session events."""

from typing import Any

from rest_framework import serializers

from apps.api.problems import CODE


class RejectedSerializer(serializers.Serializer[dict[str, Any]]):
    """A line, an entry or an event that was not taken."""

    line = serializers.IntegerField(
        allow_null=True, help_text="Which one it was, the first is 1; 0 where it is none of them."
    )
    code = serializers.RegexField(CODE)
    detail = serializers.CharField()


class SubmissionSerializer(serializers.Serializer[Any]):
    """How far a large inventory or list of events is carried out."""

    id = serializers.CharField(source="public_id")
    kind = serializers.CharField(help_text="inventory or session-events.")
    cluster = serializers.CharField()
    received_at = serializers.DateTimeField()
    state = serializers.CharField(help_text="waiting, done, or failed where a part was set aside.")
    accepted = serializers.IntegerField(help_text="Entries that were carried out.")
    waiting = serializers.IntegerField(help_text="Entries that wait.")
    failed = serializers.IntegerField(help_text="Entries that could not be carried out.")
    rejected = RejectedSerializer(many=True)
