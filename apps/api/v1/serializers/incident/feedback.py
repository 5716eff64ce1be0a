"""What the parties say of verdicts, and how right those were, as they are sent."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.incidents.entries import TEXT_LIMIT
from apps.incidents.judgement.accuracy import AccuracyShare, CalibrationStep, LayerAccuracy
from apps.incidents.projection.values import PartyOpinion
from apps.incidents.states import Judgement

SAID = [(each.value, each.label) for each in (Judgement.RIGHT, Judgement.WRONG)]


class JudgedVerdictSerializer(serializers.Serializer[PartyOpinion]):
    """The verdict as it stood when it was judged."""

    revision = serializers.IntegerField()
    status = serializers.CharField(source="verdict_status")
    layer = serializers.CharField()
    cause = serializers.CharField()
    probability = serializers.FloatField()
    cause_probability = serializers.FloatField()
    edition = serializers.CharField(help_text="Of the tables of knowledge in force.")


class FeedbackSerializer(serializers.Serializer[PartyOpinion]):
    """What one party says now."""

    organization = serializers.CharField(source="organization.slug")
    author = serializers.CharField(source="author_name")
    version = serializers.IntegerField()
    judgement = WordField(choices=SAID)
    layer = serializers.CharField(
        source="actual_layer", help_text="What it really was. Empty: it was right, or not known."
    )
    cause = serializers.CharField(source="actual_cause")
    verdict = JudgedVerdictSerializer(source="*")
    created_at = serializers.DateTimeField()


class FeedbackEntrySerializer(serializers.Serializer[Any]):
    """What one's own organization says of the verdict."""

    judgement = WordField(choices=SAID)
    layer = serializers.CharField(max_length=12, allow_blank=True, default="")
    cause = serializers.CharField(max_length=40, allow_blank=True, default="")
    revision = serializers.IntegerField(
        allow_null=True,
        default=None,
        min_value=0,
        max_value=2**31 - 1,
        help_text="Of the verdict that was looked at: 409 when another stands by now.",
    )
    note = serializers.CharField(max_length=TEXT_LIMIT, allow_blank=True, default="")
    audience = serializers.ListField(
        child=serializers.SlugField(max_length=40),
        max_length=100,
        default=list,
        help_text="Slugs of parties that read the note, besides one's own organization.",
    )
    all_parties = serializers.BooleanField(default=False)


class ShareSerializer(serializers.Serializer[AccuracyShare]):
    """Right ones of those judged. `rate` null: nothing was judged."""

    hits = serializers.IntegerField()
    n = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(
        child=serializers.FloatField(), help_text="95 %, Wilson.", min_length=2, max_length=2
    )
    few = serializers.BooleanField(source="is_small", help_text="Too few to say much.")


class LayerAccuracySerializer(serializers.Serializer[LayerAccuracy]):
    """Verdicts that blamed one layer; `unknown`: that left it open."""

    layer = serializers.CharField()
    layer_right = ShareSerializer(source="by_layer")
    cause_right = ShareSerializer(source="by_cause")
    disputed = serializers.IntegerField(source="disputed_count")


class StatedSerializer(serializers.Serializer[CalibrationStep]):
    """Verdicts stated with a probability from `low` to `high`."""

    low = serializers.FloatField()
    high = serializers.FloatField()
    stated = serializers.FloatField(allow_null=True, help_text="Their mean.")
    right = ShareSerializer(source="share")


class AccuracySerializer(serializers.Serializer[Any]):
    """How right the verdicts were that touch the organization, by what the parties said."""

    overall = ShareSerializer(help_text="The layer, of verdicts that named one.")
    layers = LayerAccuracySerializer(many=True)
    stated = StatedSerializer(many=True)
