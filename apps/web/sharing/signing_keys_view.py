"""Making a new key that signs answers."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.sharing.signing.signing_keys import replace_key
from apps.tenancy.middleware import OrganizationRequest
from apps.web.shell.act_context import act_context


@require_POST
def make_signing_key(request: OrganizationRequest, org: str) -> HttpResponse:
    """Sign with a new key from now on."""
    told = act_context(request)
    replace_key(context=told)
    messages.info(request, _("From now on a new key signs. What the former one signed stays good."))
    return redirect("web:sharing", org)
