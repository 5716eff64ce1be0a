"""What follows once a provider's answer is checked, whichever way it is spoken to."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from apps.tenancy.audit.audit_log import remote_address_of
from apps.tenancy.models import User
from apps.tenancy.sign_in.password import enter
from apps.tenancy.single_sign_on.identities import ProviderArrival, connect, let_in
from apps.tenancy.single_sign_on.provider_lookup import SignInProvider
from apps.tenancy.single_sign_on.vouched_identity import NotLetIn, read_identity


def welcome(
    *,
    request: HttpRequest,
    found: SignInProvider,
    claims: Mapping[str, Any],
    wanted: str,
    connects: int | None,
) -> HttpResponse:
    """Let the person in whom claims tell of, or connect the account; raise NotLetIn.

    `connects` is whose account asked to be connected, when the sign-in began.
    """
    arrival = ProviderArrival(
        provider=found,
        identity=read_identity(provider=found, claims=claims),
        remote_address=remote_address_of(request=request),
        now=timezone.now(),  # noqa: TID251  a door
    )
    if connects is None:
        return enter(request=request, user=let_in(arrival), wanted=wanted)
    # Only who asked for it: another person may have signed in here meanwhile.
    if not isinstance(request.user, User) or request.user.pk != connects:
        raise NotLetIn("other-person")
    connect(arrival, user=request.user)
    return HttpResponseRedirect(wanted)
