"""Looks of the share ledger as they are sent."""

from rest_framework import serializers

from apps.sharing.facade.ledger import LedgerRow, ShownClass
from apps.sharing.ledger_kinds import GroundKind, LedgerChannel, ReaderKind
from apps.sharing.terms import Level


class ShownClassSerializer(serializers.Serializer[ShownClass]):
    """How many of one class were shown."""

    data = serializers.CharField(  # type: ignore[assignment]  # published name
        help_text="events:gpu, logs:kernel, metrics:storage …"
    )
    level = serializers.CharField(help_text=", ".join(Level))
    count = serializers.IntegerField()


class LedgerEntrySerializer(serializers.Serializer[LedgerRow]):
    """One look: the same one again within a day (UTC) adds none."""

    id = serializers.CharField(source="public_id")
    at = serializers.DateTimeField()
    holder = serializers.CharField(source="holder.slug", help_text="Whose data it was.")
    reader = serializers.CharField(source="reader.slug", help_text="Who was shown it.")
    reader_kind = serializers.CharField(help_text=", ".join(ReaderKind))
    reader_name = serializers.CharField(
        help_text="The person or token; empty but to admins of the reader's own organization."
    )
    channel = serializers.CharField(help_text=", ".join(LedgerChannel))
    subject_kind = serializers.CharField(
        help_text="incident; warnings, storage or progress (of sessions) of a cluster"
    )
    subject = serializers.CharField(help_text="The incident's id, or the cluster's slug.")
    ground_kind = serializers.CharField(help_text=", ".join(GroundKind))
    ground = serializers.CharField(help_text="The id of what allowed it.")
    ground_version = serializers.IntegerField()
    shown = ShownClassSerializer(many=True)
    count = serializers.IntegerField()
    digest = serializers.CharField(help_text="SHA-256 of what was shown.")
