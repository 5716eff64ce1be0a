"""Parts in clusters: offer one, ask one back, answer, leave."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from apps.fleet.access import access_cluster
from apps.fleet.models import ParticipationRole, ProposalKind
from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.parties.leave_cluster import LastOperator, leave
from apps.fleet.parties.role_proposals import (
    BadProposal,
    ProposedRole,
    accept,
    decline,
    propose,
    take_back,
)
from apps.notifications.occasions import role_offers
from apps.telemetry.facade.hosts_agreement import agree_on_hosts
from apps.tenancy.access import NotFound
from apps.tenancy.middleware import OrganizationRequest
from apps.web.settings.clusters.participation import OFFERED_LAYERS, TypedForm, proposal_problem
from apps.web.settings.clusters.view import show_clusters
from apps.web.shell.act_context import act_context


@require_http_methods(["GET", "HEAD", "POST"])
def proposals(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Offer an organization a part in a cluster, or ask it to give one up."""
    found = access_cluster(actor=request.actor, slug=cluster)
    if request.method != "POST":
        return redirect("web:clusters", org)
    wish = _wish(request)
    try:
        told = act_context(request)
        row, is_new = propose(actor=request.actor, cluster=found, wish=wish, context=told)
    except BadProposal as error:
        typed = TypedForm(
            cluster=cluster,
            offer={"slug": wish.slug, "part": wish.part.value},
            layers=tuple(wish.layers or ()),
            offer_problem=proposal_problem(error=error, slug=wish.slug),
        )
        return show_clusters(request, typed=typed, status=422)
    if is_new:
        role_offers.tell(proposal=row, now=told.now)
    # The same words whether anybody is called so.
    words = _("Noted. If %(slug)s is an organization here, its admins find it under Clusters.")
    messages.info(request, words % {"slug": wish.slug})
    return redirect("web:clusters", org)


@require_POST
def answer(request: OrganizationRequest, org: str, public_id: str, act: str) -> HttpResponse:
    """Accept or decline what is proposed, or take back what one proposed."""
    told = act_context(request)
    if act == "accept":
        return _accept(request, org, public_id, told)
    if act == "decline":
        decline(actor=request.actor, public_id=public_id, context=told)
        messages.info(request, _("Declined; they are told that you did."))
    elif act == "take-back":
        take_back(actor=request.actor, public_id=public_id, context=told)
        messages.info(request, _("Taken back."))
    else:
        raise NotFound
    return redirect("web:clusters", org)


@require_POST
def hosts_agreement(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Take a party's word for hosts, or no longer. For admins of the operator."""
    is_agreed = request.POST.get("agreed") == "yes"
    agree_on_hosts(
        actor=request.actor,
        cluster=access_cluster(actor=request.actor, slug=cluster),
        slug=request.POST.get("slug", "").strip()[:80],
        part=_part(request.POST.get("part", "")),
        is_agreed=is_agreed,
        context=act_context(request),
    )
    words = _("Its word for hosts counts from now on, also for what runs already.")
    undone = _("Its word for hosts is a claim from now on, also for what runs already.")
    messages.info(request, words if is_agreed else undone)
    return redirect("web:clusters", org)


@require_POST
def leave_part(request: OrganizationRequest, org: str, cluster: str, part: str) -> HttpResponse:
    """Give up a part of one's own."""
    found = access_cluster(actor=request.actor, slug=cluster)
    try:
        leave(actor=request.actor, cluster=found, part=_part(part), context=act_context(request))
    except LastOperator:
        return _last(request, org)
    messages.info(request, _("You left it. Sessions and incidents of before stay yours to read."))
    return redirect("web:clusters", org)


def _accept(
    request: OrganizationRequest, org: str, public_id: str, context: ActContext
) -> HttpResponse:
    try:
        accept(actor=request.actor, public_id=public_id, context=context)
    except LastOperator:
        return _last(request, org)
    messages.info(request, _("Accepted. It counts from now on."))
    return redirect("web:clusters", org)


def _last(request: OrganizationRequest, org: str) -> HttpResponse:
    messages.error(request, _("Nobody else runs this cluster: offer another its operation first."))
    return redirect("web:clusters", org)


def _wish(request: OrganizationRequest) -> ProposedRole:
    kind = request.POST.get("kind", ProposalKind.OFFER)
    if kind not in ProposalKind.values:
        raise NotFound
    layers = [each for each in request.POST.getlist("layer") if each in OFFERED_LAYERS]
    return ProposedRole(
        kind=ProposalKind(kind),
        slug=request.POST.get("slug", "").strip()[:80],
        part=_part(request.POST.get("part", "")),
        layers=layers or None,
    )


def _part(text: str) -> ParticipationRole:
    if text not in ParticipationRole.values:
        raise NotFound
    return ParticipationRole(text)
