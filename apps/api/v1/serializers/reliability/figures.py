"""Figures of a period, and what they count. What is not known is null, and `absence` says why."""

from rest_framework import serializers

from apps.diagnosis.intervals import HitShare
from apps.reliability.period.scopes import Absence, Counted, CountedKind, Figure


class CountedSerializer(serializers.Serializer[Counted]):
    """What a figure counts: how many, and the first of them."""

    kind = serializers.ChoiceField(choices=[each.value for each in CountedKind])
    count = serializers.IntegerField()
    ids = serializers.ListField(child=serializers.CharField())


class FigureSerializer(serializers.Serializer[Figure]):
    """A number with its 95 % interval and what it rests on."""

    value = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(
        child=serializers.FloatField(allow_null=True), allow_null=True, min_length=2, max_length=2
    )
    n = serializers.IntegerField()
    absence = serializers.ChoiceField(
        choices=[each.value for each in Absence], allow_null=True, help_text="Why it is not there."
    )
    at_least = serializers.BooleanField(
        source="is_at_least", help_text="Parts of it are not known."
    )
    counted = CountedSerializer(allow_null=True)


class CaseShareSerializer(serializers.Serializer[HitShare]):
    """Some of a number of cases, with the 95 % Wilson interval."""

    hits = serializers.IntegerField()
    n = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2)
