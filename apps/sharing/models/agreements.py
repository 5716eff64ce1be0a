"""What two organizations agreed on in a cluster. Nothing is changed: each side adds its own rows.

A row is its writer's and read by the other side, too, so neither can write what the other said.
"""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Cluster
from apps.tenancy.models import Organization, OwnedModel


class ActKind(models.TextChoices):
    """What a side does with a version."""

    SIGNED = "signed"
    DECLINED = "declined"
    TAKEN_BACK = "taken_back"
    REVOKED = "revoked"


class Agreement(OwnedModel):
    """Two organizations in one cluster; owned by who spoke first. Its versions say what holds."""

    counterpart = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    public_id = models.CharField(max_length=20)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            # That two sides don't open one each is up to the lock of their cluster's agreements.
            models.UniqueConstraint(
                fields=["organization", "cluster", "counterpart"], name="agreement_once_a_pair"
            ),
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="agreement_public_id_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["counterpart"], name="agreement_by_counterpart"),
        ]

    def __str__(self) -> str:
        return self.public_id


class AgreementVersion(OwnedModel):
    """Terms as one side proposed and thereby signed them."""

    agreement = models.ForeignKey(Agreement, on_delete=models.PROTECT, related_name="+")
    counterpart = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    preset = models.CharField(max_length=40, blank=True)  # it was made from, unchanged
    terms = models.JSONField()  # {slug of who gives: [{"data", "level", "where", …}]}
    note = models.CharField(max_length=500, blank=True)
    until = models.DateTimeField(null=True)  # when it ends by itself
    digest = models.BinaryField(max_length=32)  # of all this; what is signed
    proposed_by = models.CharField(max_length=150)
    proposed_at = models.DateTimeField()
    lapses_at = models.DateTimeField()  # as a proposal that nobody answers

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "agreement", "number"],
                name="agreement_version_number_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agreement_id} v{self.number}"


class AgreementAct(OwnedModel):
    """What a side did with a version, and under which digest."""

    version = models.ForeignKey(AgreementVersion, on_delete=models.PROTECT, related_name="+")
    counterpart = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=ActKind.choices)
    digest = models.BinaryField(max_length=32)
    reason = models.CharField(max_length=500, blank=True)
    by = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "version", "kind"], name="agreement_act_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.version_id}"


class PseudonymKey(OwnedModel):
    """The key of the pseudonyms that a side shows under an agreement; the other never reads it."""

    agreement = models.ForeignKey(Agreement, on_delete=models.PROTECT, related_name="+")
    secret = models.BinaryField()  # sealed
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "agreement"], name="pseudonym_key_once"
            ),
        ]

    def __str__(self) -> str:
        return f"of {self.agreement_id}"
