"""What other parties show the reader, as it is sent."""

from typing import Any

from rest_framework import serializers

from apps.incidents.projection.shared_values import (
    SharedAs,
    SharedContext,
    SharedContextLine,
    SharedLine,
    SharedSession,
)
from apps.sharing.terms import Level

LEVELS = [str(each) for each in Level]


class SharedAsSerializer(serializers.Serializer[SharedAs]):
    """Who shows what another party holds, how much of it, and under which agreement."""

    organization = serializers.CharField(source="holder.slug")
    level = serializers.ChoiceField(choices=LEVELS)
    agreement = serializers.CharField()
    version = serializers.IntegerField(help_text="0: of none, it was asked for.")
    request = serializers.CharField(
        help_text="The evidence request that was granted; empty: the agreement shows it."
    )


class SharedLineSerializer(serializers.Serializer[SharedLine]):
    """The log line behind what another party shows, as far as it shows that, too."""

    level = serializers.ChoiceField(choices=LEVELS)
    stream = serializers.CharField()
    host = serializers.CharField()
    at = serializers.DateTimeField(allow_null=True)
    text = serializers.CharField()


class SharedContextLineSerializer(serializers.Serializer[SharedContextLine]):
    """A line of another party's log, as far as it shows it."""

    offset = serializers.IntegerField(help_text="0: the cited line; below 0: before it.")
    at = serializers.DateTimeField(allow_null=True)
    text = serializers.CharField()


class SharedContextSerializer(serializers.Serializer[SharedContext]):
    """A cited line that another party shows, with the neighbours that it shows, too."""

    shared = SharedAsSerializer()
    stream = serializers.CharField()
    host = serializers.CharField()
    lines = SharedContextLineSerializer(many=True)


class SharedSessionSerializer(serializers.Serializer[SharedSession]):
    """A session of another party that an incident hit, as far as that party shows it."""

    shared = SharedAsSerializer()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    host_count = serializers.IntegerField()
    rank_count = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(help_text="Empty of a signal, as are state and hosts.")
    attempt = serializers.IntegerField(allow_null=True)
    state = serializers.CharField()
    hosts = serializers.ListField(child=serializers.CharField())
    hosts_claimed = serializers.BooleanField(
        source="are_hosts_claimed", help_text="Only its tenant says that it ran on them."
    )


class SharedLineQuerySerializer(serializers.Serializer[Any]):
    """Which shared line: its holder, and `place` of the piece of evidence that it is behind."""

    holder = serializers.CharField(max_length=40)
    place = serializers.CharField(max_length=120)
