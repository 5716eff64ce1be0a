"""What is written of sign-ins through a provider that failed, and how many may begin."""

import logging
from datetime import datetime
from typing import Final

from django.http import HttpRequest

from apps.tenancy.audit import repeated_acts
from apps.tenancy.audit.audit_log import AuditAction, record, remote_address_of
from apps.tenancy.scope import organization_scope
from apps.tenancy.sign_in.client_networks import network_of_request
from apps.tenancy.single_sign_on.provider_http import ProviderFailed
from apps.tenancy.single_sign_on.provider_lookup import SignInProvider

logger = logging.getLogger(__name__)
SPAN_SECONDS: Final = 15 * 60
BEGINNINGS: Final = 60  # from one network in that time: each asks the provider
ENTRIES_SPAN_SECONDS: Final = 3600


def count(*, request: HttpRequest, found: SignInProvider, what: str = "begins") -> None:
    """Count one that begins, or an answer that comes; raise ProviderFailed where they are many."""
    what = f"{what} at {found.code} from {network_of_request(request)}"
    if repeated_acts.counted(what=what, seconds=SPAN_SECONDS) > BEGINNINGS:
        raise ProviderFailed("too-many")


def write_down(*, request: HttpRequest, found: SignInProvider, reason: str, now: datetime) -> None:
    """Write a failure into the log and the organization's record, now and then.

    The reason is a word of ours: nothing that the provider or the browser sent.
    """
    what = f"refused at {found.code}: {reason}"
    times = repeated_acts.counted(what=what, seconds=ENTRIES_SPAN_SECONDS)
    if not repeated_acts.is_noted(times):
        return
    organization_id = found.organization.pk
    logger.warning(
        "provider_sign_in.refused",
        extra={"organization": organization_id, "why": reason, "times": times},
    )
    act = AuditAction(
        action="provider_sign_in.refused",
        subject=" ".join((reason, repeated_acts.told(times))).strip(),
        remote_address=remote_address_of(request=request),
    )
    with organization_scope(organization_id):
        record(organization_id=organization_id, act=act, now=now)
