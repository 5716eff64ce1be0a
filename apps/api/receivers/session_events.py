"""POST /api/v1/session-events: how schedulers tell of starts, ends, hosts and ranks."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.api.receivers.bodies import json_body
from apps.api.receivers.door import (
    ClusterMissing,
    Push,
    UnknownCluster,
    cluster_of,
    receiver,
)
from apps.fleet.authority import PartRefused
from apps.fleet.models import Cluster
from apps.telemetry.formats import told as format_told
from apps.telemetry.formats.lines import Complaints, NothingUsable
from apps.telemetry.refused import note_refused
from apps.telemetry.told import record_sessions


@receiver
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Record events and answer how many were taken, and what was wrong with which."""
    complaints = Complaints()
    try:
        accepted = _recorded(request, push, complaints)
    except (NothingUsable, UnknownCluster, ClusterMissing, PartRefused) as error:
        _note(push, count=1, why=str(error) or "The event names none of the token's clusters.")
        raise
    if complaints.count:
        _note(push, count=complaints.count, why=complaints.kept[-1].detail)
    if not accepted and complaints.count:
        raise NothingUsable(complaints.kept[0].detail)
    return JsonResponse({"accepted": accepted, "rejected": complaints.as_json()})


def _recorded(request: HttpRequest, push: Push, complaints: Complaints) -> int:
    said = format_told.document(body=json_body(request))
    found = format_told.session_reports(said=said, complaints=complaints)
    reports = [(_cluster(push, named), report) for named, report in found]
    return record_sessions(
        reporter=push.organization, reports=reports, complaints=complaints, now=push.at
    )


def _note(push: Push, *, count: int, why: str) -> None:
    note_refused(organization_id=push.organization.pk, count=count, why=why, now=push.at)


def _cluster(push: Push, named: str) -> Cluster:
    found = cluster_of(push=push, named=named)
    if found is None:
        raise UnknownCluster
    return found
