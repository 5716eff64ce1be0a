"""What a GPU-hour costs an organization: entered, changed, taken away. Needs its scope."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from apps.reliability.models import GpuPrice
from apps.tenancy.access import Actor, Right

MOST: Final = Decimal(100_000)
LEAST: Final = Decimal("0.0001")
PLACES: Final = Decimal("0.0001")
CODE_LENGTH: Final = 3  # of a currency in ISO 4217


class BadPrice(Exception):
    """What was entered is no price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a GPU-hour costs."""

    per_gpu_hour: Decimal
    currency: str
    changed_at: datetime

    @property
    def text(self) -> str:
        """Return it as one writes it: 2.5 EUR."""
        return f"{self.per_gpu_hour.normalize():f} {self.currency}"


def price_of(*, actor: Actor) -> Price | None:
    """Return the price that the actor's organization entered."""
    actor.require(Right.READ)
    row = GpuPrice.objects.for_organization(actor.organization).first()
    if row is None:
        return None
    return Price(per_gpu_hour=row.per_gpu_hour, currency=row.currency, changed_at=row.changed_at)


def set_price(*, actor: Actor, per_gpu_hour: str, currency: str, now: datetime) -> Price:
    """Enter a price in place of the one before. Raises BadPrice, and NotFound for no admin."""
    actor.require(Right.MANAGE)
    amount, code = _amount(per_gpu_hour), currency.strip().upper()
    if not (code.isascii() and code.isalpha() and len(code) == CODE_LENGTH):
        raise BadPrice("currency")
    GpuPrice.objects.update_or_create(
        organization=actor.organization,
        defaults={"per_gpu_hour": amount, "currency": code, "changed_at": now},
    )
    return Price(per_gpu_hour=amount, currency=code, changed_at=now)


def remove_price(*, actor: Actor) -> bool:
    """Take the price away; say whether there was one. Raises NotFound for no admin."""
    actor.require(Right.MANAGE)
    count, _ = GpuPrice.objects.for_organization(actor.organization).delete()
    return bool(count)


def _amount(text: str) -> Decimal:
    try:
        amount = Decimal(text.strip().replace(",", "."))
    except InvalidOperation as error:
        raise BadPrice("amount") from error
    if not amount.is_finite() or not LEAST <= amount <= MOST:
        raise BadPrice("amount")
    return amount.quantize(PLACES)
