"""Changes of a cluster, as they are sent."""

from rest_framework import serializers

from apps.fleet.changes.change_values import ChangeView
from apps.fleet.models import ChangedThing


class ClusterChangeSerializer(serializers.Serializer[ChangeView]):
    """What a party says that it changed.

    With `hidden` only that there was one is shown, in which minute, and the rest is empty here.
    `hosts` null: hidden; empty: the whole cluster. `key` is of own changes alone.
    """

    id = serializers.CharField()
    key = serializers.CharField()
    told_by = serializers.CharField(source="teller.slug")
    kind = serializers.ChoiceField(choices=[each.value for each in ChangedThing])
    layer = serializers.CharField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True)
    hidden = serializers.BooleanField(source="is_brief")
    hosts = serializers.ListField(child=serializers.CharField(), allow_null=True)
    title = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()
    reference = serializers.CharField()
    url = serializers.CharField()
    by = serializers.CharField()
