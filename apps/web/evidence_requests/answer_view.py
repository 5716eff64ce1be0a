"""Answering a request by a signed statement: read what would be said, choose, send."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.incidents.evidence_requests.acts import RequestMoved
from apps.incidents.evidence_requests.answers.answers import AnswerEntry, FindingsMoved
from apps.incidents.evidence_requests.request_terms import BadRequestTerms
from apps.incidents.facade import evidence_requests as facade
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.evidence_requests.answer_page import answer_page
from apps.web.evidence_requests.sent_values import sent_time
from apps.web.shell.act_context import act_context
from apps.web.shell.render import show


@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Show what the rules find in one's own data, and send what is chosen of it."""
    request.actor.require(Right.MANAGE)
    now = timezone.now()
    found = facade.open_request(actor=request.actor, public_id=public_id, now=now)
    try:
        if request.method == "POST":
            facade.answer(
                actor=request.actor,
                public_id=public_id,
                entry=_entry(request),
                context=act_context(request),
            )
            text = _("Signed and sent. %(name)s reads it from now on.")
            messages.info(request, text % {"name": found.asker.name})
            return redirect("web:incident", org, found.incident)
        possible = facade.preview_answer(
            actor=request.actor, public_id=public_id, entry=_window(request), now=now
        )
    except RequestMoved:
        messages.error(request, _("It stands otherwise meanwhile: look again, then decide."))
        return redirect("web:incident", org, found.incident)
    except FindingsMoved:
        text = _("Not sent: your data says something else meanwhile. Read it again.")
        messages.error(request, text)
        return redirect("web:answer_request", org, public_id)
    except BadRequestTerms as refused:
        told = {"field": refused.field, "why": refused}
        messages.error(request, _("Not sent: %(field)s: %(why)s") % told)
        return redirect("web:answer_request", org, public_id)
    return show(
        request,
        "web/evidence_requests/answer.html",
        section="incidents",
        now=now,
        page=answer_page(found, possible),
    )


def _window(request: OrganizationRequest) -> AnswerEntry:
    """Return the part of the window that is looked at; empty: all that was asked."""
    return AnswerEntry(
        starts_at=sent_time("starts_at", request.GET.get("starts_at", "")),
        ends_at=sent_time("ends_at", request.GET.get("ends_at", "")),
    )


def _entry(request: OrganizationRequest) -> AnswerEntry:
    pairs = (each.partition(".") for each in request.POST.getlist("finding"))
    return AnswerEntry(
        findings={rule: digest for rule, _dot, digest in pairs},
        starts_at=sent_time("starts_at", request.POST.get("starts_at", "")),
        ends_at=sent_time("ends_at", request.POST.get("ends_at", "")),
    )
