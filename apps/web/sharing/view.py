"""What an organization shows others and is shown: its agreements, and acting on them."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from apps.diagnosis.input_values import whole_number
from apps.fleet.access import access_clusters
from apps.sharing.agreement_acts import NotNow
from apps.sharing.facade import agreements as sharing
from apps.sharing.facade.agreement_news import ending_said, ends_soon
from apps.sharing.facade.agreements import AgreementView
from apps.sharing.facade.receipts import receipts_of
from apps.sharing.presets.preset_terms import preset_names
from apps.sharing.terms import BadTerms
from apps.tenancy.access import NotFound, Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.data_classes import class_names
from apps.web.incident.evidence_requests.request_lists import request_lists
from apps.web.sharing.agreement_list import cluster_rows, preset_cards
from apps.web.sharing.page import agreement_page
from apps.web.sharing.receipts import receipt_rows
from apps.web.sharing.rule_form import RuleTable, form_tables
from apps.web.sharing.sign_all import waiting_rows
from apps.web.sharing.signing_keys import key_rows
from apps.web.sharing.terms_words import levels, places, purposes
from apps.web.shell.act_context import act_context
from apps.web.shell.address_filters import known
from apps.web.shell.render import show, zone_of
from apps.wording import said

REASON_LENGTH = 500


@require_GET
def agreements(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show with whom the organization in the path shares what, cluster by cluster."""
    now, actor = timezone.now(), request.actor
    found = sharing.list_agreements(actor=actor, now=now)
    clusters = tuple(
        cluster_rows(
            slug=cluster.slug,
            name=cluster.name,
            sides=sharing.possible_sides(actor=actor, cluster=cluster.slug),
            agreements=found,
        )
        for cluster in access_clusters(actor=actor)
    )
    return show(
        request,
        "web/sharing/page.html",
        section="sharing",
        now=now,
        clusters=clusters,
        waiting=waiting_rows(found),
        signs_as=actor.name,
        presets=preset_cards(),
        requests=request_lists(actor=actor, zone=zone_of(request), now=now),
        keys=key_rows(actor=actor, zone=zone_of(request), now=now),
        may_manage=Right.MANAGE in actor.rights,
    )


@require_GET
def agreement(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Show one agreement: what each side shows, how it came about, what can be done."""
    return show_agreement(request, public_id)


@require_POST
def act(request: OrganizationRequest, org: str, public_id: str, act: str) -> HttpResponse:
    """Sign, decline or take back a proposal, or end what holds."""
    actor, told = request.actor, act_context(request)
    number = whole_number(request.POST.get("number", "")) or 0
    reason = request.POST.get("reason", "")[:REASON_LENGTH]
    try:
        if act == "sign":
            sharing.sign(actor=actor, public_id=public_id, number=number, context=told)
            messages.info(request, _("Signed. It holds from now on."))
        elif act == "decline":
            sharing.decline(
                actor=actor, public_id=public_id, number=number, reason=reason, context=told
            )
            messages.info(request, _("Declined; they are told that you did."))
        elif act == "take-back":
            sharing.take_back(actor=actor, public_id=public_id, number=number, context=told)
            messages.info(request, _("Taken back."))
        elif act == "end":
            sharing.revoke(
                actor=actor, public_id=public_id, number=number, reason=reason, context=told
            )
            messages.info(request, _("Ended. From now on nothing is shown by it."))
        else:
            raise NotFound
    except NotNow:
        messages.error(request, _("It stands otherwise meanwhile: look again, then decide."))
    except BadTerms:
        messages.error(request, _("Say why it ends; the other side reads it."))
    return redirect("web:agreement", org, public_id)


def show_agreement(
    request: OrganizationRequest,
    public_id: str,
    *,
    typed: QueryDict | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show an agreement, with what was typed where it can't be proposed so."""
    now, actor = timezone.now(), request.actor
    view = sharing.open_agreement(actor=actor, public_id=public_id, now=now)
    preset = known(request, "preset", preset_names())
    ends_at = ends_soon(view=view, now=now)
    page = agreement_page(
        view=view,
        tables=_tables(request, view, preset, typed),
        note=typed.get("note", "") if typed else "",
        until=typed.get("until", "") if typed else "",
        may_manage=Right.MANAGE in actor.rights,
        signs_as=actor.name,
    )
    names = {each.slug: each.name for each in (view.reader, view.other)}
    receipts = receipt_rows(receipts=receipts_of(actor=actor, view=view), names=names)
    return show(
        request,
        "web/sharing/agreement.html",
        section="sharing",
        now=now,
        status=status,
        page=replace(
            page,
            receipts=receipts,
            has_open_form=page.has_open_form or typed is not None or bool(preset),
        ),
        ending=said(ending_said(other=view.other, cluster=view.cluster, ends_at=ends_at))
        if ends_at
        else "",
        presets=preset_cards(),
        classes=class_names(),
        levels=levels(),
        places=places(),
        purposes=purposes(),
    )


def _tables(
    request: OrganizationRequest, view: AgreementView, preset: str, typed: QueryDict | None
) -> tuple[RuleTable, ...]:
    """Return the form's rows: as typed, of a preset, or of the newest terms."""
    if preset:
        gives = sharing.preset_between(
            actor=request.actor,
            cluster=view.cluster.slug,
            counterpart=view.other.slug,
            preset=preset,
        )
    else:
        newest = view.waiting or view.current or (view.versions[0] if view.versions else None)
        gives = newest.gives if newest else {}
    return form_tables(view=view, gives=gives, typed=typed)
