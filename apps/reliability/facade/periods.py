"""A period in figures, as the actor's organization may read it. Needs its scope."""

from datetime import datetime

from apps.reliability.period.asked_span import MOST_DAYS, BadPeriod, scope_of
from apps.reliability.period.compose import compose
from apps.reliability.period.read import period_facts
from apps.reliability.period.scopes import PeriodScope
from apps.reliability.period.values import Period
from apps.reliability.prices import price_of
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor, Right


def period_of(
    *, actor: Actor, scope: PeriodScope, now: datetime, channel: LedgerChannel | None
) -> Period:
    """Return the figures of a period; without a channel nothing that others show.

    Raises NotFound for a cluster without a part in it, LedgerUnavailable.
    """
    actor.require(Right.READ)
    price = price_of(actor=actor)
    facts = period_facts(actor=actor, scope=scope, now=now, channel=channel)
    return compose(facts, price=price)


__all__ = ["MOST_DAYS", "BadPeriod", "period_of", "scope_of"]
