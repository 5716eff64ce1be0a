"""E-mails on their way: sent by one look, and how each try went."""

from datetime import datetime
from time import monotonic

from apps.diagnosis.model import statement_of
from apps.notifications.delivery.outbox import SendingTurn
from apps.notifications.email.email_delivery import NEWS
from apps.notifications.models import Delivery, DeliveryAttempt
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.wording import in_english
from tests.apps.notifications.revised_incidents import NOW


def send(at: datetime = NOW) -> SendingTurn:
    """Take one turn."""
    return NEWS.take_turn(clock=monotonic, now=lambda: at)


def states(who: Organization) -> list[str]:
    """Return what became of the letters."""
    with organization_scope(who.pk):
        return list(Delivery.objects.order_by("id").values_list("state", flat=True))


def tries(who: Organization) -> list[tuple[bool, str]]:
    """Return how each try went."""
    with organization_scope(who.pk):
        rows = DeliveryAttempt.objects.order_by("id").values_list("is_success", "failure")
        return [(ok, in_english(statement_of(told)) if told else "") for ok, told in rows]
