"""What receivers of their own protocols answer, as docs/openapi.yaml has it."""

from typing import Any, Final

from rest_framework import serializers

from apps.api.v1.serializers.intake.submissions import RejectedSerializer


class AcceptedSerializer(serializers.Serializer[Any]):
    """How many entries were taken, and which were not."""

    accepted = serializers.IntegerField(min_value=0)
    rejected = RejectedSerializer(many=True)


class AcceptedForLaterSerializer(AcceptedSerializer):
    """The same of what a worker carries out."""

    url = serializers.URLField(help_text="Where it stands what became of it.")


class AcceptedAlertsSerializer(AcceptedSerializer):
    """The same of alerts."""

    duplicates = serializers.IntegerField(min_value=0)
    left_out_by_sender = serializers.IntegerField(min_value=0)


class AcceptedExclusionsSerializer(AcceptedSerializer):
    """The same of exclusions: what they came to, all 0 for what was told before."""

    begun = serializers.IntegerField(min_value=0, help_text="Exclusions that were not known.")
    ended = serializers.IntegerField(
        min_value=0, help_text="Exclusions that end, or end at another time than was known."
    )
    reopened = serializers.IntegerField(
        min_value=0, help_text="Exclusions that had an end, and go on: a list has the node again."
    )


UNKNOWN_HOSTS_NAMED: Final = 100


class AcceptedChangesSerializer(AcceptedSerializer):
    """The same of changes: both 0 for what was told before."""

    new = serializers.IntegerField(min_value=0, help_text="Keys that were not known.")
    updated = serializers.IntegerField(
        min_value=0, help_text="Known keys of which something else was said before."
    )
    unknown_hosts = serializers.ListField(
        child=serializers.CharField(),
        help_text="Names in `hosts` that match no node your organization knows of now, by its "
        f"inventory or its sessions, the first {UNKNOWN_HOSTS_NAMED}. The changes are kept "
        "as they were told.",
    )
    unknown_host_count = serializers.IntegerField(min_value=0, help_text="How many these are.")


class AcceptedLinesSerializer(AcceptedSerializer):
    """The same of lines."""

    batch = serializers.CharField()
    duplicates = serializers.IntegerField(min_value=0)
    url = serializers.URLField(help_text="The page that shows what was read of it.")
