"""Signed statements in place of data: what could be stated, what was, and the keys."""

import base64
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.incidents.evidence_requests.answers.answer_views import AttestedAnswer, StatedFinding
from apps.incidents.evidence_requests.answers.answers import AnswerPreview, digest_of
from apps.incidents.evidence_requests.answers.values import CheckFinding, CheckOutcome
from apps.sharing.signing.signing_keys import PublicKey
from apps.wording import headline_in_english

OUTCOMES = list(CheckOutcome)


class PossibleFindingSerializer(serializers.Serializer[CheckFinding]):
    """What a rule finds now, and under which digest it is sent."""

    rule = serializers.CharField(source="check.name")
    outcome = serializers.ChoiceField(choices=OUTCOMES)
    text = serializers.SerializerMethodField()
    digest = serializers.SerializerMethodField()

    @extend_schema_field(serializers.CharField())
    def get_text(self, found: CheckFinding) -> str:
        """Return the sentence that would be signed."""
        return headline_in_english(found.told)

    @extend_schema_field(serializers.CharField())
    def get_digest(self, found: CheckFinding) -> str:
        """Return what has to be sent back: what was read is what is signed."""
        return digest_of(found)


class AnswerPreviewSerializer(serializers.Serializer[AnswerPreview]):
    """What the holder could state, before anything leaves."""

    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    hosts = serializers.ListField(child=serializers.CharField())
    findings = PossibleFindingSerializer(many=True)


class StatedFindingSerializer(serializers.Serializer[StatedFinding]):
    """What a rule found, as it was signed."""

    rule = serializers.CharField()
    outcome = serializers.ChoiceField(choices=OUTCOMES)
    text = serializers.SerializerMethodField()

    @extend_schema_field(serializers.CharField())
    def get_text(self, found: StatedFinding) -> str:
        """Return the sentence that was signed."""
        return headline_in_english(found.told)


class AttestedAnswerSerializer(serializers.Serializer[AttestedAnswer]):
    """What the holder stated in place of the data; `…/answer/` has it signed."""

    id = serializers.CharField(source="public_id")
    at = serializers.DateTimeField()
    key = serializers.CharField(source="fingerprint", help_text="SHA-256 of the public key.")
    is_good = serializers.BooleanField(
        help_text="The signature is the holder's and of this request; else nothing is shown."
    )
    findings = StatedFindingSerializer(many=True)


class ChosenFindingSerializer(serializers.Serializer[Any]):
    """One finding to be sent, as it was read."""

    rule = serializers.CharField(max_length=60)
    digest = serializers.CharField(max_length=64)


class AnswerEntrySerializer(serializers.Serializer[Any]):
    """Which findings are sent, and of which part of the window they were read."""

    findings = serializers.ListField(child=ChosenFindingSerializer(), min_length=1, max_length=100)
    starts_at = serializers.DateTimeField(allow_null=True, default=None)
    ends_at = serializers.DateTimeField(allow_null=True, default=None)


class SigningKeySerializer(serializers.Serializer[PublicKey]):
    """The public half of a key that signed answers."""

    organization = serializers.CharField(source="organization.slug")
    fingerprint = serializers.CharField(help_text="SHA-256 of the public key.")
    public_key = serializers.SerializerMethodField()
    is_current = serializers.BooleanField(
        allow_null=True, help_text="Of one's own: it signs now. null: of another organization."
    )
    made_at = serializers.DateTimeField()

    @extend_schema_field(serializers.CharField())
    def get_public_key(self, key: PublicKey) -> str:
        """Return its 32 bytes in base64, as `verify_answer --key` takes them."""
        return base64.b64encode(key.public_key).decode()
