"""POST /api/v1/inventory: how operators tell of nodes, devices, links, mounts and projects."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.api.receivers.bodies import json_body
from apps.api.receivers.door import Push, UnknownCluster, cluster_of, receiver
from apps.telemetry.formats import told as format_told
from apps.telemetry.formats.lines import Complaints, NothingUsable
from apps.telemetry.told import record_inventory


@receiver
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Record an inventory and answer how many entries were taken."""
    complaints = Complaints()
    said = format_told.document(body=json_body(request))
    cluster = cluster_of(push=push, named=str(said.get("cluster") or ""))
    if cluster is None:
        raise UnknownCluster
    try:
        report = format_told.inventory_report(said=said, complaints=complaints)
    except format_told.BadReport as error:
        raise NothingUsable(str(error)) from error
    accepted = record_inventory(
        organization=push.organization,
        cluster=cluster,
        report=report,
        complaints=complaints,
        now=push.at,
    )
    if not accepted and complaints.count:
        raise NothingUsable(complaints.kept[0].detail)
    return JsonResponse({"accepted": accepted, "rejected": complaints.as_json()})
