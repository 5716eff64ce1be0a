"""Answers to creating requests with a key, so that a second one gets the same."""

from typing import ClassVar

from django.db import models

from apps.tenancy.models.organizations import OwnedModel


class KeptAnswer(OwnedModel):
    """The answer to a creating request with a key; without a status it is still being made."""

    credential = models.CharField(max_length=120)  # Actor.label
    key = models.CharField(max_length=200)
    digest = models.BinaryField(max_length=32)  # of path and body
    status = models.PositiveSmallIntegerField(null=True)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "credential", "key"], name="kept_answer_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "created_at"], name="kept_answer_by_age")
        ]

    def __str__(self) -> str:
        return f"answer {self.pk}"
