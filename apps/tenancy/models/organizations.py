"""Organizations, and rows that belong to exactly one of them."""

from typing import Self, TypeVar

from django.db import models


class Organization(models.Model):
    """A party: one tenant of the portal. Carries no secrets and no policy."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    # Members come in with a second factor only; tokens of machines have none.
    requires_second_factor = models.BooleanField(default=False, db_default=False)

    def __str__(self) -> str:
        return self.slug

    @property
    def mark(self) -> str:
        """The letter that stands for the organization where its name has no room."""
        return self.name[:1].upper()


Owned = TypeVar("Owned", bound=models.Model)


class OwnedQuerySet(models.QuerySet[Owned]):
    """Queries that name the organization whose rows they mean."""

    def for_organization(self, organization: Organization | int) -> Self:
        """Keep the rows owned by one organization."""
        return self.filter(organization=organization)


OwnedManager = models.Manager.from_queryset(OwnedQuerySet)


class OwnedModel(models.Model):
    """A row that belongs to exactly one organization; its table is under row-level security."""

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")

    objects = OwnedManager()

    class Meta:
        abstract = True
