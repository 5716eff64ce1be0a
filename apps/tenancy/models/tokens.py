"""Tokens of machines and what they may do."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.tenancy.models.organizations import OwnedModel


class TokenScope(models.TextChoices):
    """What a token may do."""

    INGEST = "ingest"
    READ = "read"
    WRITE = "write"


class Token(OwnedModel):
    """A machine's credential. Only its digest is kept."""

    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=16)
    digest = models.BinaryField(max_length=32, db_index=True)
    scopes = ArrayField(models.CharField(max_length=16, choices=TokenScope.choices))
    clusters = ArrayField(models.BigIntegerField(), default=list)  # ids of clusters it may write to
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "name"], name="token_name_once"),
            models.UniqueConstraint(fields=["organization", "digest"], name="token_digest_once"),
        ]

    def __str__(self) -> str:
        return self.prefix
