"""Making a new key that signs answers."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.fleet.parties.leave_cluster import ActContext
from apps.sharing.signing.signing_keys import replace_key
from apps.tenancy.audit.audit_log import remote_address_of
from apps.tenancy.middleware import OrganizationRequest


@require_POST
def make_signing_key(request: OrganizationRequest, org: str) -> HttpResponse:
    """Sign with a new key from now on."""
    told = ActContext(
        actor=request.actor, now=timezone.now(), remote_address=remote_address_of(request=request)
    )
    replace_key(told=told)
    messages.info(request, _("From now on a new key signs. What the former one signed stays good."))
    return redirect("web:sharing", org)
