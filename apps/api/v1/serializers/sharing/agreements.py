"""Agreements as they are sent, and as an admin proposes and answers them."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.sharing.facade.agreements import AgreementView, VersionEnd, VersionView
from apps.sharing.facade.receipts import EndReceipt, SeenBySide
from apps.sharing.presets.preset_terms import preset_names
from apps.sharing.states import VersionState
from apps.sharing.terms import Level, Place, Purpose, SharingRule

REASON_LIMIT = 500


class SharingRuleSerializer(serializers.Serializer[SharingRule]):
    """One thing that a side shows the other."""

    data = serializers.CharField(  # type: ignore[assignment]  # published name
        help_text="metrics:gpu, metrics:*, events:storage, logs:kernel …"
    )
    level = WordField(choices=list(Level))
    where = WordField(
        choices=list(Place),
        default=Place.CLUSTER.value,
        help_text="cluster: all in it; own-sessions: hosts of the reader's sessions while they "
        "ran; incidents: around incidents that both are parties of; blamed: around incidents "
        "that blame a layer the reader answers for.",
    )
    purpose = WordField(choices=list(Purpose), default=Purpose.DIAGNOSIS.value)
    keep_days = serializers.IntegerField(
        allow_null=True,
        default=None,
        help_text="Shown for so many days after it happened; null: as long as it is kept.",
    )


class GivesField(serializers.DictField):
    """What each side gives: slug → rules. `read_terms` reads it and says what is wrong, where."""

    child = SharingRuleSerializer(many=True)

    def run_child_validation(self, data: Any) -> Any:
        """Return the rules as they were sent."""
        return data


class VersionEndSerializer(serializers.Serializer[VersionEnd]):
    """Who ended a version, and why."""

    organization = serializers.CharField(source="organization.slug")
    by = serializers.CharField(help_text="The person, as the other side is told.")
    at = serializers.DateTimeField()
    reason = serializers.CharField(help_text="May be empty.")


class AgreementVersionSerializer(serializers.Serializer[VersionView]):
    """Terms as one side proposed them, and what became of them."""

    version = serializers.IntegerField(source="number")
    state = serializers.CharField(help_text=", ".join(VersionState))
    proposed_by = serializers.CharField(source="proposer.slug")
    proposed_by_person = serializers.CharField(source="proposed_by")
    proposed_at = serializers.DateTimeField()
    lapses_at = serializers.DateTimeField(help_text="As a proposal that nobody answers.")
    signed_by_person = serializers.CharField(
        source="signed_by", help_text="Of the other side; empty: nobody yet."
    )
    in_force_at = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True, help_text="null: until a side ends it.")
    preset = serializers.CharField(help_text="It was made from, unchanged; empty: from none.")
    note = serializers.CharField()
    gives = GivesField(help_text="Slug of who gives → what it shows the other side.")
    end = VersionEndSerializer(allow_null=True)
    digest = serializers.CharField(help_text="SHA-256 of the document that both sides sign.")


class AgreementSerializer(serializers.Serializer[AgreementView]):
    """What there is between one's organization and another one in a cluster."""

    id = serializers.CharField(source="public_id")
    cluster = serializers.CharField(source="cluster.slug")
    organization = serializers.CharField(source="other.slug", help_text="The other side.")
    waits_for_us = serializers.BooleanField(
        source="waits_for_reader", help_text="The other side proposed and waits for an answer."
    )
    current = AgreementVersionSerializer(allow_null=True, help_text="What holds.")
    waiting = AgreementVersionSerializer(
        allow_null=True, help_text="What one side proposed and the other has yet to answer."
    )


class AgreementDetailSerializer(AgreementSerializer):
    """An agreement with all of its versions."""

    versions = AgreementVersionSerializer(many=True, help_text="The newest first.")


class SeenBySideSerializer(serializers.Serializer[SeenBySide]):
    """What one side had seen of the other's."""

    reader = serializers.CharField()
    looks = serializers.IntegerField(help_text="Entries of the share ledger.")
    exports = serializers.IntegerField(help_text="Of these; they can't be taken back.")
    subjects = serializers.IntegerField(help_text="Incidents, and clusters of warnings.")
    last_at = serializers.DateTimeField(allow_null=True)


class EndReceiptSerializer(serializers.Serializer[EndReceipt]):
    """That a version ended, and what had been seen by the agreement until then."""

    version = serializers.IntegerField()
    ended_at = serializers.DateTimeField()
    ended_by = serializers.CharField(help_text="Empty where it ended on its day.")
    reason = serializers.CharField()
    seen = SeenBySideSerializer(many=True)
    digest = serializers.CharField(help_text="SHA-256; the same for both sides.")


class AgreementProposalSerializer(serializers.Serializer[Any]):
    """Terms as an admin proposes them: a preset, or what each side gives."""

    cluster = serializers.CharField(max_length=60)
    organization = serializers.CharField(max_length=40, help_text="The other side: its slug.")
    preset = WordField(choices=list(preset_names()), default="")
    gives = GivesField(
        allow_null=True,
        default=None,
        help_text="Slug of who gives → rules; {} shows nothing. Without, name a preset.",
    )
    note = serializers.CharField(max_length=REASON_LIMIT, default="", allow_blank=True)
    until = serializers.DateTimeField(allow_null=True, default=None)
    former = serializers.IntegerField(
        allow_null=True,
        default=None,
        min_value=0,
        help_text="The version that was read last, 0 for none: 409 where a newer one came.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Take one of the two ways to say what is shown."""
        if bool(attrs["preset"]) == (attrs["gives"] is not None):
            raise serializers.ValidationError("give a preset or `gives`, one of the two")
        return attrs


class VersionSerializer(serializers.Serializer[Any]):
    """The version that is answered: the one that was read."""

    version = serializers.IntegerField(source="number", min_value=1)


class DeclineSerializer(VersionSerializer):
    """A version that is declined, and why."""

    reason = serializers.CharField(max_length=REASON_LIMIT, default="", allow_blank=True)


class RevokeSerializer(VersionSerializer):
    """A version that is ended, and why; the other side reads it."""

    reason = serializers.CharField(max_length=REASON_LIMIT)
