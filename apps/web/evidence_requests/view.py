"""Asking another party for evidence, and answering."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.diagnosis.input_values import whole_number
from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.evidence_requests.acts import RequestMoved
from apps.incidents.evidence_requests.request_terms import (
    USUAL_DAYS,
    BadRequestTerms,
    GrantEntry,
    RequestEntry,
)
from apps.incidents.facade import evidence_requests as facade
from apps.incidents.facade.reads import open_incident
from apps.sharing.redaction.text import visible_text
from apps.sharing.terms import Level
from apps.tenancy.access import NotFound, Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.evidence_requests.sent_values import sent_time
from apps.web.shell.act_context import act_context

Act = Callable[[OrganizationRequest, str, ActContext], None]


@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Ask another party of the incident for one class of data."""
    found = open_incident(actor=request.actor, public_id=public_id, right=Right.ACT)
    if request.method == "POST":
        try:
            entry = _entry(request)
            facade.ask(
                actor=request.actor,
                incident=found.public_id,
                entry=entry,
                context=act_context(request),
            )
            messages.info(request, _("Asked. The answer appears here without loading the page."))
        except BadRequestTerms as refused:
            told = {"field": refused.field, "why": refused}
            messages.error(request, _("Not asked: %(field)s: %(why)s") % told)
    return redirect("web:incident", org, found.public_id)


@require_POST
def act(request: OrganizationRequest, org: str, public_id: str, act: str) -> HttpResponse:
    """Grant, decline or revoke a request, or take one's own back; then show its incident."""
    if act not in ACTS:
        raise NotFound
    now = timezone.now()
    found = facade.open_request(actor=request.actor, public_id=public_id, now=now)
    try:
        ACTS[act](request, public_id, act_context(request))
    except RequestMoved:
        messages.error(request, _("It stands otherwise meanwhile: look again, then decide."))
    except BadRequestTerms as refused:
        told = {"field": refused.field, "why": refused}
        messages.error(request, _("Not done: %(field)s: %(why)s") % told)
    return redirect("web:incident", org, found.incident)


def _grant(request: OrganizationRequest, public_id: str, context: ActContext) -> None:
    sent = request.POST
    entry = GrantEntry(
        level=_level(sent["level"]) if sent.get("level") else None,
        starts_at=sent_time("starts_at", sent.get("starts_at", "")),
        ends_at=sent_time("ends_at", sent.get("ends_at", "")),
        days=_days(sent["days"]) if sent.get("days") else None,
    )
    facade.grant(actor=request.actor, public_id=public_id, entry=entry, context=context)
    messages.info(request, _("Granted. They read it from now on."))


def _decline(request: OrganizationRequest, public_id: str, context: ActContext) -> None:
    reason = request.POST.get("reason", "")
    facade.decline(actor=request.actor, public_id=public_id, reason=reason, context=context)
    messages.info(request, _("Declined; they read why."))


def _revoke(request: OrganizationRequest, public_id: str, context: ActContext) -> None:
    reason = request.POST.get("reason", "")
    facade.revoke(actor=request.actor, public_id=public_id, reason=reason, context=context)
    messages.info(request, _("Revoked. From now on nothing is shown by it."))


def _take_back(request: OrganizationRequest, public_id: str, context: ActContext) -> None:
    facade.take_back(actor=request.actor, public_id=public_id, context=context)
    messages.info(request, _("Taken back."))


ACTS: dict[str, Act] = {
    "grant": _grant,
    "decline": _decline,
    "revoke": _revoke,
    "take-back": _take_back,
}


def _entry(request: OrganizationRequest) -> RequestEntry:
    sent = request.POST
    return RequestEntry(
        holder=sent.get("holder", ""),
        data=sent.get("data", ""),
        level=_level(sent.get("level", "")),
        reason=sent.get("reason", ""),
        host=visible_text(sent.get("host", "")),
        starts_at=sent_time("starts_at", sent.get("starts_at", "")),
        ends_at=sent_time("ends_at", sent.get("ends_at", "")),
        days=_days(sent.get("days", "")) if sent.get("days") else USUAL_DAYS,
    )


def _level(text: str) -> Level:
    if text not in {str(each) for each in Level}:
        raise BadRequestTerms("level", _("choose how much"))
    return Level(text)


def _days(text: str) -> int:
    return whole_number(text) or 0
