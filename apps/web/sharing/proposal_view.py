"""A proposal of an agreement: its terms, read before they are signed, and proposing it."""

from dataclasses import replace
from datetime import UTC, datetime, time

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from apps.diagnosis.input_values import whole_number
from apps.sharing.agreement_acts import NotNow, Proposal
from apps.sharing.facade import agreements as sharing
from apps.sharing.presets.preset_terms import preset_names
from apps.sharing.redaction.text import visible_text
from apps.sharing.terms import BadTerms, read_terms
from apps.tenancy.access import NotFound, Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.data_classes import class_names
from apps.web.sharing.agreement_list import preset_cards
from apps.web.sharing.page import agreement_page, given_lists
from apps.web.sharing.rule_form import form_tables, sent_rules
from apps.web.sharing.terms_words import levels, places, purposes
from apps.web.sharing.view import show_agreement
from apps.web.shell.act_context import act_context
from apps.web.shell.address_filters import known
from apps.web.shell.render import show


@require_http_methods(["GET", "HEAD", "POST"])
def propose(request: OrganizationRequest, org: str) -> HttpResponse:
    """Propose a preset to one party or to all with whom nothing is agreed, or terms to one.

    Asked for, it shows what would be signed.
    """
    if request.method != "POST":
        return show_proposal(request)
    sent = request.POST
    cluster, preset = visible_text(sent.get("cluster", "")), sent.get("preset", "")
    names = [each for each in sent.getlist("counterpart") if each]
    if preset and preset not in preset_names():
        raise NotFound
    if not names and preset:
        return _propose_to_all(request, org, cluster, preset)
    if len(names) != 1:
        raise NotFound
    try:
        public_id = sharing.propose(
            actor=request.actor,
            cluster=cluster,
            proposal=_proposal(request, counterpart=names[0], preset=preset),
            context=act_context(request),
        )
    except BadTerms as error:
        messages.error(request, _("Not proposed: %(why)s") % {"why": error})
        return _show_typed(request, sent)
    except NotNow:
        messages.error(request, _("Meanwhile the other side proposed something: read it first."))
        return redirect("web:sharing", org)
    messages.info(request, _("Signed by you and proposed; it holds once the other side signs."))
    return redirect("web:agreement", org, public_id)


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


def _propose_to_all(
    request: OrganizationRequest, org: str, cluster: str, preset: str
) -> HttpResponse:
    actor, told = request.actor, act_context(request)
    there = {
        each.other.slug
        for each in sharing.list_agreements(actor=actor, now=told.now)
        if each.cluster.slug == cluster and (each.current or each.waiting)
    }
    sides = sharing.possible_sides(actor=actor, cluster=cluster)
    others = [each.organization for each in sides if each.organization.slug not in there]
    # As the page had it: with none of them was anything agreed on, whatever came since.
    read = request.POST.get("to", "").split(",") if "to" in request.POST else None
    others = [each for each in others if read is None or each.slug in read]
    done = [each for each in others if _proposed(request, cluster, each.slug, preset)]
    if done:
        names = ", ".join(other.name for other in done)
        messages.info(request, _("Signed by you and proposed to %(names)s.") % {"names": names})
    if len(done) < len(others):
        messages.error(request, _("Meanwhile the other side proposed something: read it first."))
    elif not done:
        messages.warning(request, _("There is something with every party already."))
    return redirect("web:sharing", org)


def _proposed(request: OrganizationRequest, cluster: str, slug: str, preset: str) -> bool:
    """Propose a preset to a party with which there was nothing yet; say whether that is so."""
    try:
        sharing.propose(
            actor=request.actor,
            cluster=cluster,
            proposal=Proposal(counterpart=slug, preset=preset, former=0),
            context=act_context(request),
        )
    except NotNow:
        return False
    return True


def _proposal(request: OrganizationRequest, *, counterpart: str, preset: str) -> Proposal:
    sent = request.POST
    former = sent.get("former", "")
    terms = None
    if not preset:
        sides = (request.actor.organization.slug, counterpart)
        gives = {slug: sent_rules(sent=sent, slug=slug) for slug in sides}
        terms = read_terms(gives, sides=sides)
    return Proposal(
        counterpart=counterpart,
        terms=terms,
        preset=preset,
        note=sent.get("note", "").strip(),
        until=_until(sent.get("until", "")),
        former=whole_number(former),
    )


def _until(text: str) -> datetime | None:
    """Return the end of a day in UTC; nothing for no day. Raises BadTerms."""
    if not text.strip():
        return None
    try:
        day = parse_date(text.strip())
    except ValueError:
        day = None
    if day is None:
        raise BadTerms(_("the end is no day such as 2027-06-30"))
    return datetime.combine(day, time.max, tzinfo=UTC)


def _show_typed(request: OrganizationRequest, sent: QueryDict) -> HttpResponse:
    """Show what was typed again, where it was."""
    former = visible_text(sent.get("agreement", ""))
    if not former:
        return show_proposal(request, typed=sent, status=422)
    return show_agreement(request, former, typed=sent, status=422)
