"""What open pages have to look at again: a row for each organization that reads it."""

import secrets
from enum import StrEnum
from typing import ClassVar

from django.db import models
from django.db.models.functions import Now

from apps.tenancy.models.organizations import OwnedModel


class Topic(StrEnum):
    """What kind of thing changed."""

    INCIDENT = "incident"
    ANNOTATION = "annotation"  # of the incident named
    SESSION = "session"
    SOURCE = "source"
    WARNING = "warning"
    SHARING = "sharing"  # what the organization and others agreed, or gave each other


def new_code() -> str:
    """Return a random name: a number would count what others write."""
    return secrets.token_urlsafe(12)


class PageChange(OwnedModel):
    """That something changed for an organization: no content, and no word of who changed it."""

    code = models.CharField(max_length=20, default=new_code)
    topic = models.CharField(max_length=12)  # Topic
    # The row; its readers may each know it under a name of their own. None: any of them.
    subject = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    # Given by the first reader after the commit, so that nothing comes before what was read.
    number = models.BigIntegerField(null=True)
    numbered_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "code"], name="page_change_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "number"], name="page_change_by_number"),
            models.Index(
                fields=["organization"],
                condition=models.Q(number=None),
                name="page_change_unnumbered",
            ),
            models.Index(fields=["organization", "created_at"], name="page_change_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.pk}"
