"""Explanations of an incident as they are sent, with the evidence that the reader holds."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import StatementField
from apps.api.v1.serializers.incident.cited_facts import (
    CitedDeviceSerializer,
    CodesField,
    RanksField,
)
from apps.api.v1.serializers.incident.incidents import CulpritSerializer
from apps.api.v1.serializers.incident.shared import SharedAsSerializer
from apps.incidents.projection.values import (
    EvidencePiece,
    HeldEvidence,
    HypothesisView,
)


class BareEvidenceSerializer(serializers.Serializer[EvidencePiece]):
    """A weighed piece of evidence that the reader holds or is shown, without its line."""

    text = StatementField(source="statement")
    source = serializers.CharField()  # type: ignore[assignment]  # published name
    line = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField(allow_null=True)
    layer = serializers.CharField()
    weight = serializers.FloatField()
    claimed = serializers.BooleanField(
        source="is_claimed", help_text="Its holder does not run what it tells of."
    )
    signature = serializers.CharField(source="fact.signature", allow_null=True, default=None)
    code = CodesField(source="fact.code")
    device = CitedDeviceSerializer(source="fact.device", allow_null=True, default=None)
    host = serializers.CharField(source="fact.host", allow_null=True, default=None)
    ranks = RanksField(source="fact.ranks")
    shared = SharedAsSerializer(
        allow_null=True, help_text="By whom it is shown; null: your organization holds it."
    )


class HeldSerializer(serializers.Serializer[HeldEvidence]):
    """How much another party holds: layer and weight, no words."""

    organization = serializers.CharField(source="organization.slug")
    side = serializers.CharField()
    layer = serializers.CharField()
    count = serializers.IntegerField()
    weight = serializers.FloatField()
    claimed = serializers.BooleanField(
        source="is_claimed", help_text="Its holder does not run what it tells of."
    )


class MissingSerializer(serializers.Serializer[dict[str, Any]]):
    """A source that would settle the question, and which part holds it."""

    source = serializers.CharField()  # type: ignore[assignment]  # published name
    hosts = serializers.ListField(child=serializers.CharField(), allow_null=True, default=None)
    held_by = serializers.CharField()
    would = StatementField()


class BareHypothesisSerializer(serializers.Serializer[HypothesisView]):
    """One explanation as a file holds it: the reader's evidence without its log lines."""

    layer = serializers.CharField()
    cause = serializers.CharField()
    probability = serializers.FloatField()
    cause_probability = serializers.FloatField()
    culprits = CulpritSerializer(many=True, allow_null=True)
    supporting = BareEvidenceSerializer(source="supporting", many=True)
    opposing = BareEvidenceSerializer(source="opposing", many=True)
    held = HeldSerializer(many=True)
    missing = MissingSerializer(many=True)
    ruled_out_because = StatementField(source="ruled_out")

    def get_fields(self) -> dict[str, Any]:
        """Return the fields under their published names: `for` is a word of the language."""
        published = {"supporting": "for", "opposing": "against"}
        return {published.get(name, name): field for name, field in super().get_fields().items()}
