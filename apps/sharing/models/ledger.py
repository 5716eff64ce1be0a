"""The share ledger: who was shown what of whose, one row a look, and the chain that seals the rows.

Rows are only added. What a look showed stands in them as classes, counts and a digest, never as
text.
"""

from typing import ClassVar

from django.db import models

from apps.sharing.ledger_kinds import GroundKind, LedgerChannel, ReaderKind
from apps.tenancy.models import Organization, OwnedModel


class LedgerEntry(OwnedModel):
    """One look: owned by whose data it was, read by the reader's organization, too."""

    public_id = models.CharField(max_length=20)
    at = models.DateTimeField()
    day = models.DateField()  # in UTC; the same look counts once a day
    reader = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    reader_kind = models.CharField(max_length=10, choices=ReaderKind.choices)
    reader_label = models.CharField(max_length=120)  # user:<reference> token:<prefix>
    channel = models.CharField(max_length=10, choices=LedgerChannel.choices)
    subject_kind = models.CharField(max_length=20)  # incident, or what of a cluster
    subject = models.CharField(max_length=60)  # its public id, or the slug of the cluster
    ground_kind = models.CharField(max_length=10, choices=GroundKind.choices)
    ground = models.CharField(max_length=20)  # its public id
    ground_version = models.PositiveIntegerField()
    shown = models.JSONField()  # [{"data", "level", "count"}]
    count = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=32)  # of what was shown

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=[
                    *("organization", "day", "subject", "reader", "reader_label", "channel"),
                    *("ground", "ground_version", "digest"),
                ],
                name="ledger_entry_once_a_day",
            ),
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="ledger_entry_public_id_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "-at", "-id"], name="ledger_by_time"),
            models.Index(fields=["reader", "-at", "-id"], name="ledger_by_reader"),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.channel} {self.subject}"


class LedgerSeal(OwnedModel):
    """An entry's place in its holder's chain; the digest covers the entry and the seal before."""

    sequence = models.BigIntegerField()
    entry = models.ForeignKey(LedgerEntry, on_delete=models.PROTECT, related_name="+")
    digest = models.BinaryField(max_length=32)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "sequence"], name="ledger_seal_sequence_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "entry"], name="ledger_seal_entry_once"
            ),
        ]

    def __str__(self) -> str:
        return f"seal {self.sequence} of {self.organization_id}"


class LedgerPoint(OwnedModel):
    """Up to where a holder's chain was read and found whole; signed by the portal."""

    sequence = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)
    signature = models.CharField(max_length=100)
    proven_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization"], name="ledger_point_once")
        ]

    def __str__(self) -> str:
        return f"seal {self.sequence} of {self.organization_id}"
