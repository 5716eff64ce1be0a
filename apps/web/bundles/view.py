"""Evidence bundles of the organization in the path: those it makes, and those it is sent."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.diagnosis.spelling import shown
from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.facade.bundles import make_bundle, possible_bundle
from apps.sharing.bundles.bundle_contents import BadBundleChoice
from apps.sharing.bundles.bundle_reading import Contents
from apps.sharing.bundles.bundle_states import (
    BundleGone,
    BundleMoved,
    RecipientLeft,
)
from apps.sharing.facade import bundles as facade
from apps.sharing.facade.bundles import BundleView
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.redaction.text import visible_text
from apps.tenancy.access import NotFound, Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.bundles.bundle_form import bundle_form, first_choice, room_line, sent_choice
from apps.web.bundles.page import AskedName, bundle_page, bundle_row
from apps.web.shell.act_context import act_context
from apps.web.shell.render import show

REASON_LENGTH = 500
NAME_LENGTH = 100
UNRECORDED = gettext_lazy("That you read it can't be written down now, so it is not shown.")
GONE = 410


@require_GET
def bundles(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show what was made and what was sent, the newest first."""
    now = timezone.now()
    rows = [bundle_row(each) for each in facade.list_bundles(actor=request.actor, now=now)]
    return show(
        request,
        "web/bundles/list.html",
        section="sharing",
        now=now,
        received=[row for row in rows if not row.is_own],
        made=[row for row in rows if row.is_own],
    )


@require_http_methods(["GET", "HEAD", "POST"])
def make(request: OrganizationRequest, org: str) -> HttpResponse:
    """Choose what goes of an incident, and make a bundle of it: nothing leaves yet."""
    actor, told = request.actor, act_context(request)
    sent = request.POST if request.method == "POST" else request.GET
    incident = visible_text(sent.get("incident", ""))
    if not incident:
        return redirect("web:bundles", org)
    try:
        possible = possible_bundle(actor=actor, incident=incident)
    except BadBundleChoice as error:
        messages.error(request, str(error))
        return redirect("web:incident", org, incident)
    choice, status = first_choice(), 200
    if request.method == "POST":
        try:
            choice = sent_choice(sent=request.POST, piece_count=len(possible.pieces))
            public_id = make_bundle(actor=actor, incident=incident, choice=choice, context=told)
        except BadBundleChoice as error:
            messages.error(request, _("Not made: %(why)s") % {"why": error})
            status = 422
        else:
            return redirect("web:bundle", org, public_id)
    return show(
        request,
        "web/bundles/make.html",
        section="sharing",
        now=told.now,
        status=status,
        form=bundle_form(possible=possible, choice=choice),
        room=room_line(facade.room_for(actor=actor)),
    )


@require_GET
def bundle(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Show a bundle: to its holder side by side, to whom it was sent what is in it."""
    return _show_bundle(request, public_id)


@require_GET
def download(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Send the file."""
    try:
        body = facade.download(
            actor=request.actor, public_id=public_id, context=act_context(request)
        )
    except BundleMoved:
        raise NotFound from None
    except BundleGone:
        return _show_bundle(request, public_id, status=GONE)
    except LedgerUnavailable:
        messages.error(request, str(UNRECORDED))
        return redirect("web:bundle", org, public_id)
    answer = HttpResponse(body, content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{public_id}.zip"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@require_POST
def act(request: OrganizationRequest, org: str, public_id: str, act: str) -> HttpResponse:
    """Send a bundle that was made, or take one back."""
    actor, told = request.actor, act_context(request)
    try:
        if act == "send":
            facade.send(actor=actor, public_id=public_id, context=told)
            messages.info(request, _("Sent."))
        elif act == "withdraw":
            reason = request.POST.get("reason", "")[:REASON_LENGTH]
            facade.revoke(actor=actor, public_id=public_id, reason=reason, context=told)
            messages.info(request, _("Withdrawn. Its content is deleted."))
        else:
            raise NotFound
    except BundleMoved:
        messages.error(request, _("It stands otherwise meanwhile: look again, then decide."))
    except RecipientLeft as error:
        text = _("Not sent: %(names)s takes no part in the cluster any more.")
        messages.error(request, text % {"names": error})
    return redirect("web:bundle", org, public_id)


def _show_bundle(
    request: OrganizationRequest, public_id: str, *, status: int = 200
) -> HttpResponse:
    actor, told = request.actor, act_context(request)
    view = facade.open_bundle(actor=actor, public_id=public_id, now=told.now)
    if view.is_own:
        contents = facade.preview_of(actor=actor, public_id=public_id)
    else:
        contents = _contents(request, public_id, told)
    return show(
        request,
        "web/bundles/bundle.html",
        section="sharing",
        now=told.now,
        status=status,
        asked=_asked(request, view),
        page=bundle_page(
            view=view,
            preview=contents,
            may_manage=Right.MANAGE in actor.rights,
        ),
    )


def _contents(request: OrganizationRequest, public_id: str, context: ActContext) -> Contents:
    try:
        return facade.contents_of(actor=request.actor, public_id=public_id, context=context)
    except LedgerUnavailable:
        messages.error(request, str(UNRECORDED))
        return {}


def _asked(request: OrganizationRequest, view: BundleView) -> AskedName | None:
    name = visible_text(request.GET.get("name", "")).strip()
    if not name or not view.is_own:
        return None
    found = facade.name_behind(actor=request.actor, public_id=view.public_id, name=name)
    if found is None:
        text = _("“%(name)s”: nothing that you hold leads back to this name.")
        messages.warning(request, text % {"name": shown(word=name)})
        return None
    return AskedName(name=name[:NAME_LENGTH], value=found)
