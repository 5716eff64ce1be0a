"""Work that was set aside, as it is sent."""

from rest_framework import serializers

from apps.tenancy.models import FailedWork


class FailedWorkSerializer(serializers.Serializer[FailedWork]):
    """A unit of work that failed several times and rests now; what was sent is in none of it."""

    kind = serializers.CharField(
        help_text="diagnosis window capture source warnings forwarding notice retention …"
    )
    subject = serializers.CharField(help_text="The portal's number of what the work is about.")
    error = serializers.CharField(help_text="The kind of error and its place, never its text.")
    attempt_count = serializers.IntegerField()
    began_at = serializers.DateTimeField()
    tried_at = serializers.DateTimeField()
    set_aside_at = serializers.DateTimeField()
