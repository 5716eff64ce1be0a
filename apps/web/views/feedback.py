"""Was it right? One click on an incident; and how right all verdicts were."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from apps.diagnosis.input_values import whole_number
from apps.incidents.projection.access import access_incident, access_incidents
from apps.incidents.acts import note_act
from apps.incidents.annotations import AlreadyChanged, Audience, AudienceUnknown, TextMissing
from apps.incidents.judgement.accuracy import judged_incidents
from apps.incidents.judgement.feedback import BadOpinion, Opinion, VerdictMoved, judge, take_back
from apps.incidents.lifecycle import AlreadyHandled
from apps.incidents.models import Incident
from apps.incidents.states import Judgement
from apps.tenancy.access import NotFound, Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.compose.feedback import accuracy_page
from apps.web.compose.lanes import LANES
from apps.web.reading import incident_page
from apps.web.shell import show

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
    TextMissing: gettext_lazy("A note has at most 10,000 characters."),
}


@require_http_methods(["GET", "HEAD", "POST"])
def feedback(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Keep what the reader's organization says of the verdict, then show the incident again."""
    now = timezone.now()
    found = access_incident(actor=request.actor, public_id=public_id, right=Right.ACT)
    if request.method != "POST":
        return redirect("web:incident", org, found.public_id)
    problem = _problem(request, found)
    if not problem:
        note_act(
            actor=request.actor,
            incident=found,
            action="incident.judged",
            detail=request.POST.get("judgement", ""),
            request=request,
            now=now,
        )
        return redirect("web:incident", org, found.public_id)
    page = incident_page(request=request, incident=found, now=now)
    return show(
        request,
        "web/incident.html",
        section="incidents",
        now=now,
        status=422,
        page=page,
        judging_problem=problem,
        judging_note=request.POST.get("note", ""),
        note_lanes=LANES,
    )


def _problem(request: OrganizationRequest, found: Incident) -> str:
    """Do what was asked for; return why not, or nothing."""
    try:
        _do(request, found)
    except BadOpinion as error:
        return _("This can't be kept: %(why)s.") % {"why": error}
    except tuple(REFUSALS) as error:
        return str(REFUSALS[type(error)])
    return ""


def _do(request: OrganizationRequest, found: Incident) -> None:
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


@require_GET
def accuracy(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show how right the verdicts were that touch the organization, by what the parties said."""
    now = timezone.now()
    incidents = access_incidents(actor=request.actor)
    if not request.actor.organization.is_simulated:
        incidents = incidents.filter(is_simulated=False)
    page = accuracy_page(
        judged=judged_incidents(actor=request.actor), incident_count=incidents.count()
    )
    return show(request, "web/accuracy.html", section="incidents", now=now, page=page)
