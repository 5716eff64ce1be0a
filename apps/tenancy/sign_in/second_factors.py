"""Second factors as they are kept: a person's secrets, sealed, and taken away by an operator."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from allauth.mfa.models import Authenticator
from django.db import transaction

from apps.tenancy.audit.audit_log import AuditAction, record_for_person
from apps.tenancy.credentials import reseal
from apps.tenancy.models import User

SECRETS = ("secret", "seed")  # of an authenticator app, of recovery codes


@contextmanager
def one_change_at_a_time(*, username: str) -> Iterator[None]:
    """Hold whose factors are about to change, in a transaction."""
    with transaction.atomic():
        User.objects.select_for_update().get(username=username)
        yield


def reseal_all() -> int:
    """Encrypt all secrets with the first of the portal's keys; return how many there are."""
    count = 0
    for factor in Authenticator.objects.order_by("pk"):
        for name in set(SECRETS) & set(factor.data):
            factor.data[name] = reseal(sealed=factor.data[name].encode()).decode()
            factor.save(update_fields=["data"])
            count += 1
    return count


def remove_all(*, user: User, actor: str, now: datetime) -> None:
    """Take every second factor of a person away, and write down who did it."""
    removed, _ = Authenticator.objects.filter(user=user).delete()
    if removed:
        act = AuditAction(action="second_factor.removed", subject=user.label, actor=actor)
        record_for_person(user=user, act=act, now=now)
