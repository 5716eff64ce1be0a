"""Signing several agreements in one step, each as it was read."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from apps.diagnosis.input_values import whole_number
from apps.fleet.parties.cross_party_acts import ActContext
from apps.sharing.agreement_acts import NotNow
from apps.sharing.facade import agreements as sharing
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.shell.act_context import act_context


@require_POST
def sign_agreements(request: OrganizationRequest, org: str) -> HttpResponse:
    """Sign what was ticked; what moved since it was read is left as it is."""
    request.actor.require(Right.MANAGE)
    told = act_context(request)
    ticked = dict(each.partition(".")[::2] for each in request.POST.getlist("agreement"))
    # In one order: two admins who sign the same at once would wait for each other.
    done = [_signed(told, name, number) for name, number in sorted(ticked.items())]
    count, left = sum(done), len(done) - sum(done)
    if count:
        text = ngettext("Signed %(n)s agreement.", "Signed %(n)s agreements.", count)
        messages.info(request, text % {"n": count})
    if left:
        text = ngettext(
            "%(n)s agreement stands otherwise meanwhile: read it again.",
            "%(n)s agreements stand otherwise meanwhile: read them again.",
            left,
        )
        messages.error(request, text % {"n": left})
    if not done:
        messages.error(request, _("Nothing was ticked."))
    return redirect("web:sharing", org)


def _signed(context: ActContext, public_id: str, number: str) -> bool:
    try:
        sharing.sign(
            actor=context.actor,
            public_id=public_id,
            number=whole_number(number) or 0,
            context=context,
        )
    except NotNow:
        return False
    return True
