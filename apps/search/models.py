"""Views of lists that people keep: a name for a filter."""

from typing import ClassVar

from django.db import models

from apps.tenancy.models import OwnedModel, User


class ListName(models.TextChoices):
    """Which list a view is of."""

    INCIDENTS = "incidents"
    SESSIONS = "sessions"
    WARNINGS = "warnings"


class SavedView(OwnedModel):
    """A filter of a list under a name, of one person; shared, all of the organization open it."""

    public_id = models.CharField(max_length=20)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    list_name = models.CharField(max_length=12, choices=ListName.choices)
    name = models.CharField(max_length=80)
    query = models.CharField(max_length=1000, blank=True)  # of the list's address
    is_shared = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="saved_view_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "user", "list_name", "name"], name="saved_view_name_once"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id


class DefaultView(OwnedModel):
    """The view that a list opens with for one person."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    list_name = models.CharField(max_length=12, choices=ListName.choices)
    view = models.ForeignKey(SavedView, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "user", "list_name"], name="default_view_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.list_name} of {self.user_id}"
