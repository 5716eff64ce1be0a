"""Attested answers: statements that an organization signed, and the keys that it signs with."""

from typing import ClassVar

from django.db import models

from apps.tenancy.models import Organization, OwnedModel


class SigningKey(OwnedModel):
    """The public half of a key; read by its owner, and by whom it answered with it."""

    fingerprint = models.CharField(max_length=64)  # SHA-256 of the public key
    public_key = models.BinaryField(max_length=32)
    made_by = models.CharField(max_length=150)
    made_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "fingerprint"], name="signing_key_once"
            ),
        ]

    def __str__(self) -> str:
        return self.fingerprint[:16]


class SigningSecret(OwnedModel):
    """The private half of the key that an organization signs with now; former ones are gone."""

    key = models.ForeignKey(SigningKey, on_delete=models.PROTECT, related_name="+")
    secret = models.BinaryField()  # sealed

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization"], name="signing_secret_once"),
        ]

    def __str__(self) -> str:
        return f"of {self.organization_id}"


class SignedAnswer(OwnedModel):
    """What a holder stated to whoever asked it for evidence, as it was signed."""

    counterpart = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey(SigningKey, on_delete=models.PROTECT, related_name="+")
    public_id = models.CharField(max_length=20)
    request = models.CharField(max_length=20)  # public id of what it answers
    document = models.BinaryField()  # in the spelling that is signed
    signature = models.BinaryField(max_length=64)
    made_by = models.CharField(max_length=150)
    made_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="signed_answer_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "request"], name="signed_answer_once_a_request"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["counterpart", "request"], name="signed_answer_by_counterpart"),
        ]

    def __str__(self) -> str:
        return self.public_id
