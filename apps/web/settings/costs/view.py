"""The price of a GPU-hour: read by members, changed by admins."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.reliability.prices import BadPrice, price_of, remove_price, set_price
from apps.tenancy.access import Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web.settings.tabs import show_tab


@require_http_methods(["GET", "POST"])
def costs(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show what a GPU-hour costs; let an admin enter a price, or take it away."""
    now = timezone.now()
    if request.method == "POST":
        request.actor.require(Right.MANAGE)
        if "remove" in request.POST:
            _remove(request)
        else:
            _enter(request)
        return redirect("web:costs", org)
    return show_tab(
        request,
        "web/settings/costs/page.html",
        tab="costs",
        now=now,
        price=price_of(actor=request.actor),
        can_manage=Right.MANAGE in request.actor.rights,
    )


def _remove(request: OrganizationRequest) -> None:
    if remove_price(actor=request.actor):
        record_act(actor=request.actor, action="price.removed", request=request, now=timezone.now())
        messages.info(request, _("Losses are told in GPU-hours alone."))


def _enter(request: OrganizationRequest) -> None:
    now = timezone.now()
    try:
        price = set_price(
            actor=request.actor,
            per_gpu_hour=request.POST.get("per_gpu_hour", ""),
            currency=request.POST.get("currency", ""),
            now=now,
        )
    except BadPrice as error:
        wrong = {
            "amount": _("Enter a price between 0.0001 and 100,000, such as 2.50."),
            "currency": _("Enter a currency by its three letters, such as EUR."),
        }
        messages.error(request, wrong[str(error)])
        return
    record_act(
        actor=request.actor, action="price.set", subject=price.text, request=request, now=now
    )
    messages.info(request, _("Lost GPU-hours are told at this price from now on."))
