"""What changes for an organization while its pages are open: a stream, or answers one by one."""

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.diagnosis.input_values import whole_number
from apps.tenancy.changes.replay import replay
from apps.tenancy.middleware import OrganizationRequest
from apps.web.live.change_hub import HUB
from apps.web.live.change_stream import WAIT_SECONDS, StreamPlace, answer, answer_written, events
from apps.web.live.stream_events import moment_mark
from apps.web.live.stream_readers import events_for

MARK_LENGTH = 24


@require_GET
def stream(request: OrganizationRequest, org: str) -> HttpResponseBase:
    """Tell the browser of each change that its organization may know of, from a mark on."""
    place = _place(request)
    if not _may_stay(request):
        return HttpResponse(status=204)  # it asks now and then
    response = StreamingHttpResponse(events(place), content_type="text/event-stream")
    response["Cache-Control"] = "private, no-store, no-transform"
    response["X-Accel-Buffering"] = "no"  # nginx would hold events back
    return response


@require_GET
def changes(request: OrganizationRequest, org: str) -> HttpResponseBase:
    """Tell of the same once, for who gets no stream: soon, or as soon as there is something."""
    place = _place(request)
    seconds = min(whole_number(request.GET.get("wait", "")) or 0, int(WAIT_SECONDS))
    if not seconds or not _may_stay(request):
        return HttpResponse(_at_once(request, place), content_type="application/json")
    told = answer(place, seconds=seconds)
    response = StreamingHttpResponse(told, content_type="application/json")
    response["X-Accel-Buffering"] = "no"
    return response


def _place(request: OrganizationRequest) -> StreamPlace:
    mark = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    return StreamPlace(
        organization_id=request.actor.organization.pk,
        key=request.session.session_key or "",
        mark=mark[:MARK_LENGTH],
    )


def _may_stay(request: OrganizationRequest) -> bool:
    return isinstance(request, ASGIRequest) and HUB.has_room(
        organization_id=request.actor.organization.pk
    )


def _at_once(request: OrganizationRequest, place: StreamPlace) -> bytes:
    now = timezone.now()
    found = replay(
        organization_id=place.organization_id, code=place.code, since=place.since, now=now
    )
    if not found.is_complete:
        return answer_written(state="reset", mark=moment_mark(now))
    told = events_for(actor=request.actor, changes=found.changes)
    mark = told[-1].code if told else place.code or moment_mark(now)
    return answer_written(state="ok", mark=mark, events=told)
