"""Was it right? One click on an incident."""

from collections.abc import Mapping

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from apps.diagnosis.input_values import whole_number
from apps.incidents.entries import Audience, Opinion
from apps.incidents.facade.acts import judge, note_act, take_back
from apps.incidents.facade.reads import open_incident
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.refusals import (
    AlreadyChanged,
    AlreadyHandled,
    AudienceUnknown,
    BadOpinion,
    TextMissing,
    VerdictMoved,
)
from apps.incidents.states import Judgement
from apps.tenancy.access import NotFound, Right
from apps.tenancy.middleware import OrganizationRequest, with_writes_kept
from apps.web.incident.read import incident_page
from apps.web.incident.timeline.lane_heads import LANES
from apps.web.live import page_topics
from apps.web.shell.render import show

REFUSALS: Mapping[type[Exception], Promise] = {
    VerdictMoved: gettext_lazy(
        "The answer changed while you looked at it. This is how it reads now: judge it."
    ),
    AlreadyHandled: gettext_lazy(
        "A colleague judged at the same moment. This is how it stands now."
    ),
    AlreadyChanged: gettext_lazy(
        "A colleague judged at the same moment. This is how it stands now."
    ),
    AudienceUnknown: gettext_lazy(
        "One of the recipients is no party of this incident. Load the page again."
    ),
    TextMissing: gettext_lazy("An annotation has at most 10,000 characters."),
}


@require_http_methods(["GET", "HEAD", "POST"])
def feedback(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Keep what the reader's organization says of the verdict, then show the incident again."""
    now = timezone.now()
    found = open_incident(actor=request.actor, public_id=public_id, right=Right.ACT)
    if request.method != "POST":
        return redirect("web:incident", org, found.public_id)
    problem = _problem(request, found)
    is_script = bool(request.headers.get("HX-Request"))  # it stays where it is
    if not problem:
        note_act(
            actor=request.actor,
            incident=found,
            action="incident.judged",
            detail=request.POST.get("judgement", ""),
            request=request,
            now=now,
        )
        again = redirect("web:incident", org, found.public_id)
        return HttpResponse(status=204) if is_script else again
    if is_script:
        return HttpResponse(status=422)  # it sends the form as without a script
    page = incident_page(request=request, public_id=found.public_id, now=now)
    refused = show(
        request,
        "web/incident/page.html",
        section="incidents",
        now=now,
        status=422,
        live=page_topics.incident_topics(page.public_id),
        page=page,
        judging_problem=problem,
        judging_note=request.POST.get("note", ""),
        note_lanes=LANES,
    )
    return with_writes_kept(refused)


def _problem(request: OrganizationRequest, found: IncidentFacts) -> str:
    """Do what was asked for; return why not, or nothing."""
    try:
        with transaction.atomic():
            _do(request, found)
    except BadOpinion as error:
        return _("This can't be kept: %(why)s.") % {"why": error}
    except tuple(REFUSALS) as error:
        return str(REFUSALS[type(error)])
    return ""


def _do(request: OrganizationRequest, found: IncidentFacts) -> None:
    said = request.POST.get("judgement", "")
    if said not in Judgement:
        raise BadOpinion("judgement", f"one of {', '.join(Judgement)}")
    if said == Judgement.TAKEN_BACK:
        take_back(actor=request.actor, incident=found, now=timezone.now())
        return
    layer, _slash, cause = request.POST.get("really", "").partition("/")
    revision = request.POST.get("revision", "")
    if whole_number(revision) is None:
        raise NotFound
    judge(
        actor=request.actor,
        incident=found,
        opinion=Opinion(
            judgement=Judgement(said), layer=layer, cause=cause, revision=int(revision)
        ),
        note=request.POST.get("note", ""),
        audience=Audience(
            organizations=tuple(request.POST.getlist("audience")),
            all_parties=request.POST.get("all_parties") == "1",
        ),
        now=timezone.now(),
    )
