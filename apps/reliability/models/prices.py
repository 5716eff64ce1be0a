"""What a GPU-hour costs an organization, where it says so: its alone."""

from typing import ClassVar

from django.db import models

from apps.tenancy.models import OwnedModel


class GpuPrice(OwnedModel):
    """The price that an organization entered."""

    per_gpu_hour = models.DecimalField(max_digits=12, decimal_places=4)
    currency = models.CharField(max_length=3)  # ISO 4217
    changed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization"], name="gpu_price_once"),
            models.CheckConstraint(
                condition=models.Q(per_gpu_hour__gt=0), name="gpu_price_is_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.per_gpu_hour} {self.currency}"
