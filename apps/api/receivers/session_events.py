"""POST /api/v1/session-events: how schedulers tell of starts, ends, hosts and ranks."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.api.receivers.bodies import json_body
from apps.api.receivers.door import Push, UnknownCluster, cluster_of, receiver
from apps.fleet.models import Cluster
from apps.telemetry.formats import told as format_told
from apps.telemetry.formats.lines import Complaints, NothingUsable
from apps.telemetry.told import record_sessions


@receiver
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Record events and answer how many were taken, and what was wrong with which."""
    complaints = Complaints()
    said = format_told.document(body=json_body(request))
    found = format_told.session_reports(said=said, complaints=complaints)
    reports = [(_cluster(push, named), report) for named, report in found]
    accepted = record_sessions(
        reporter=push.organization, reports=reports, complaints=complaints, now=push.at
    )
    if not accepted and complaints.count:
        raise NothingUsable(complaints.kept[0].detail)
    return JsonResponse({"accepted": accepted, "rejected": complaints.as_json()})


def _cluster(push: Push, named: str) -> Cluster:
    found = cluster_of(push=push, named=named)
    if found is None:
        raise UnknownCluster
    return found
