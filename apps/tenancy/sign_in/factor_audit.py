"""What happens to somebody's second factor, in the records of the person's organizations."""

from typing import Any

from allauth.mfa import signals
from allauth.mfa.models import Authenticator
from django.http import HttpRequest
from django.utils import timezone

from apps.tenancy.audit.audit_log import AuditAction, record_for_person, remote_address_of
from apps.tenancy.models import User
from apps.tenancy.sign_in import failures
from apps.tenancy.sign_in.open_sessions import end_unproven


def connect() -> None:
    """Listen to what allauth tells."""
    signals.authenticator_added.connect(added, dispatch_uid="factor_audit.added")
    signals.authenticator_removed.connect(removed, dispatch_uid="factor_audit.removed")
    signals.authenticator_reset.connect(renewed, dispatch_uid="factor_audit.renewed")
    signals.authenticator_used.connect(used, dispatch_uid="factor_audit.used")
    signals.authentication_failed.connect(failed, dispatch_uid="factor_audit.failed")


def added(*, request: HttpRequest, user: User, authenticator: Authenticator, **_more: Any) -> None:
    """Write that a factor was added, and let the first one end what began without it."""
    _write(request, user, "second_factor.added", authenticator)
    end_unproven(request=request, user=user, added=authenticator)


def removed(
    *, request: HttpRequest, user: User, authenticator: Authenticator, **_more: Any
) -> None:
    """Write that one was removed."""
    _write(request, user, "second_factor.removed", authenticator)


def renewed(
    *, request: HttpRequest, user: User, authenticator: Authenticator, **_more: Any
) -> None:
    """Write that recovery codes were made anew."""
    _write(request, user, "second_factor.renewed", authenticator)


def used(*, request: HttpRequest, user: User, authenticator: Authenticator, **_more: Any) -> None:
    """Write that one was used."""
    _write(request, user, "second_factor.used", authenticator)


def failed(*, request: HttpRequest, user: User, **_more: Any) -> None:
    """Write that a code or passkey was wrong, now and then."""
    _write_failure(request, user, "second_factor.failed")


def copied(*, request: HttpRequest, user: User) -> None:
    """Write that a passkey counted less than before, now and then."""
    _write_failure(request, user, "second_factor.copied")


def _write_failure(request: HttpRequest, user: User, action: str) -> None:
    failures.write_down(
        request=request,
        username=user.get_username(),
        action=action,
        now=timezone.now(),  # noqa: TID251  a door
    )


def _write(request: HttpRequest, user: User, action: str, authenticator: Authenticator) -> None:
    act = AuditAction(
        action=action,
        subject=str(authenticator.type),
        actor=user.label,
        remote_address=remote_address_of(request=request),
    )
    record_for_person(user=user, act=act, now=timezone.now())  # noqa: TID251  a door
