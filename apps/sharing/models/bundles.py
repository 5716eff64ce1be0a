"""Evidence bundles: rows of their holder that are only added, and content that goes in its time."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models import Cluster
from apps.sharing.models.agreements import Agreement
from apps.tenancy.models import Organization, OwnedModel


class BundleActKind(models.TextChoices):
    """What was done with a bundle after it was made."""

    SENT = "sent"
    OPENED = "opened"
    DOWNLOADED = "downloaded"
    REVOKED = "revoked"
    EXPIRED = "expired"


class Bundle(OwnedModel):
    """What a holder gives of an incident; read by others once it is sent to them."""

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    incident_public_id = models.CharField(max_length=32)
    # Whose names for things are in it: of the agreement with the only recipient, else its own.
    agreement = models.ForeignKey(Agreement, on_delete=models.PROTECT, null=True, related_name="+")
    recipients = ArrayField(models.BigIntegerField())  # ids of organizations
    outside = models.CharField(max_length=120, blank=True)  # who gets the file by other ways
    purpose = models.CharField(max_length=500, blank=True)
    manifest = models.JSONField()
    digest = models.BinaryField(max_length=32)  # SHA-256 of the file
    size = models.PositiveIntegerField()
    is_simulated = models.BooleanField(default=False)
    made_by = models.CharField(max_length=150)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="bundle_public_id_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["incident_public_id"], name="bundle_by_incident"),
        ]

    def __str__(self) -> str:
        return self.public_id


class BundleAct(OwnedModel):
    """What one side did with a bundle; the other side reads it, too."""

    bundle = models.ForeignKey(Bundle, on_delete=models.PROTECT, related_name="+")
    counterpart = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=BundleActKind.choices)
    by = models.CharField(max_length=150)
    reason = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            # The first time of each person; how often is in the record of audits.
            models.UniqueConstraint(
                fields=["organization", "bundle", "counterpart", "kind", "by"],
                name="bundle_act_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["counterpart", "bundle"], name="bundle_act_by_counterpart"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.bundle_id}"


class BundleContent(OwnedModel):
    """The file itself; deleted once the bundle is over."""

    bundle = models.ForeignKey(Bundle, on_delete=models.PROTECT, related_name="+")
    body = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "bundle"], name="bundle_content_once"),
        ]

    def __str__(self) -> str:
        return f"of {self.bundle_id}"


class BundleOriginal(OwnedModel):
    """What stands behind the file line by line, for its holder alone; deleted with the file."""

    bundle = models.ForeignKey(Bundle, on_delete=models.PROTECT, related_name="+")
    body = models.BinaryField()  # compressed JSON

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "bundle"], name="bundle_original_once"),
        ]

    def __str__(self) -> str:
        return f"of {self.bundle_id}"


class RecipientsKey(OwnedModel):
    """The key of pseudonyms for a set of recipients; they never read it."""

    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    recipients = models.BinaryField(max_length=32)  # digest of who they are
    secret = models.BinaryField()  # sealed
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "recipients"], name="recipients_key_once"
            ),
        ]

    def __str__(self) -> str:
        return f"of {self.organization_id}"
