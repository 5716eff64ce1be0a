"""An agreement that nobody proposed yet: its terms, read before they are signed."""

from dataclasses import replace

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone

from apps.sharing.facade import agreements as sharing
from apps.sharing.presets.preset_terms import preset_names
from apps.sharing.redaction.text import visible_text
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.data_classes import class_names
from apps.web.sharing.page import agreement_page, given_lists, preset_cards
from apps.web.sharing.rule_form import form_tables
from apps.web.sharing.terms_words import levels, places, purposes
from apps.web.shell.address_filters import known
from apps.web.shell.render import show


def show_proposal(
    request: OrganizationRequest, *, typed: QueryDict | None = None, status: int = 200
) -> HttpResponse:
    """Show what a preset would make each side show, and the form of other terms."""
    now, actor, asked = timezone.now(), request.actor, typed or request.GET
    cluster, counterpart = (
        visible_text(asked.get(name, "")) for name in ("cluster", "counterpart")
    )
    if not counterpart:
        return redirect("web:sharing", actor.organization.slug)
    actor.require(Right.MANAGE)
    for each in sharing.list_agreements(actor=actor, now=now):
        if (each.cluster.slug, each.other.slug) == (cluster, counterpart):
            return redirect("web:agreement", actor.organization.slug, each.public_id)
    view = sharing.nothing_agreed(actor=actor, cluster=cluster, counterpart=counterpart)
    preset = known(request, "preset", preset_names()) or preset_names()[0]
    gives = sharing.preset_between(
        actor=actor, cluster=cluster, counterpart=counterpart, preset=preset
    )
    page = agreement_page(
        view=view,
        tables=form_tables(view=view, gives=gives, typed=typed),
        note=typed.get("note", "") if typed else "",
        until=typed.get("until", "") if typed else "",
        may_manage=True,
        signs_as=actor.name,
    )
    return show(
        request,
        "web/sharing/proposal.html",
        section="sharing",
        now=now,
        status=status,
        page=replace(page, has_open_form=typed is not None),
        lists=given_lists(view, gives),
        shown_preset=preset,
        presets=preset_cards(),
        classes=class_names(),
        levels=levels(),
        places=places(),
        purposes=purposes(),
    )
