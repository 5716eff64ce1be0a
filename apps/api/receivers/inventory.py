"""POST /api/v1/inventory: how operators tell of nodes, devices, links, mounts and projects."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.api.receivers.answers import AcceptedForLaterSerializer, AcceptedSerializer
from apps.api.receivers.description import (
    JSON,
    LATER,
    MEBIBYTE,
    SLIPS,
    described,
    example,
    response,
)
from apps.api.receivers.requests.authentication import Push, cluster_of
from apps.api.receivers.requests.bodies import LIMIT_BYTES, json_body
from apps.api.receivers.requests.errors import UnknownCluster
from apps.api.receivers.requests.receiver import receiver, takes
from apps.api.receivers.requests.submission import answer_submission
from apps.fleet.inventory import InventoryReport, permitted
from apps.fleet.models import Cluster
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable
from apps.telemetry.formats.schedulers import inventory_json, json_values, scheduler_json
from apps.telemetry.scheduler.reports import record_inventory
from apps.telemetry.submission_kinds import SubmissionKind
from apps.telemetry.submissions import pieces
from apps.telemetry.submissions.accept import has_waiting
from apps.tenancy.scope import organization_scope

EXAMPLE = {"nodes": [{"name": "gpu017", "aliases": ["gpu017.aurora.example"]}]}


@described(
    operation="push_inventory",
    text=f"Nodes, devices, links, mounts and projects; at most {LIMIT_BYTES // MEBIBYTE} MiB and "
    f"{pieces.MOST_ENTRIES} entries. More than {pieces.ENTRIES_AT_ONCE} are carried out after the "
    f"answer, which is 202 then; projects are mapped before it. {SLIPS}",
    takes={JSON: example(EXAMPLE)},
    answers={
        200: response(AcceptedSerializer),
        202: response(AcceptedForLaterSerializer, text=LATER),
    },
)
@receiver(takes())
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Record an inventory, or keep a large one for a worker; answer how many entries were taken."""
    complaints = Complaints()
    said = scheduler_json.document(body=json_body(request))
    pieces.require_size(said=said)
    cluster = cluster_of(push=push, named=str(said.get("cluster") or ""))
    if cluster is None:
        raise UnknownCluster
    try:
        report = inventory_json.inventory_report(said=said, complaints=complaints)
    except json_values.BadReport as error:
        raise NothingUsable(str(error)) from error
    if not _is_carried_out_at_once(push, said):
        return _keep(push, cluster, said, report, complaints)
    accepted = _record(push, cluster, report, complaints)
    if not accepted and complaints.count:
        raise NothingUsable(complaints.kept[0].detail)
    return JsonResponse({"accepted": accepted, "rejected": complaints.as_json()})


def _is_carried_out_at_once(push: Push, said: Mapping[str, Any]) -> bool:
    kind = SubmissionKind.INVENTORY
    with organization_scope(push.organization.pk):
        # A later link or mount is the one that holds: it must not overtake.
        is_behind = has_waiting(organization_id=push.organization.pk, kind=kind)
    return pieces.is_small(kind=kind, said=said) and not is_behind


def _keep(
    push: Push,
    cluster: Cluster,
    said: Mapping[str, Any],
    report: InventoryReport,
    complaints: Complaints,
) -> HttpResponse:
    """Map the projects at once, as sessions that begin need them; keep the rest for a worker."""
    with organization_scope(push.organization.pk):
        allowed = permitted(cluster=cluster, organization=push.organization, report=report)
    if not allowed.report.count:
        _record(push, cluster, report, complaints)  # refuses it, for the record, too
    projects = replace(report, nodes=(), links=(), mounts=())
    accepted = _record(push, cluster, projects, complaints) if report.projects else 0
    parts = [(cluster.pk, part) for part in pieces.parts_of_inventory(said=said)]
    if not parts:
        return JsonResponse({"accepted": accepted, "rejected": complaints.as_json()})
    return answer_submission(
        push=push,
        kind=SubmissionKind.INVENTORY,
        parts=parts,
        accepted=accepted + len(report.nodes) + len(report.links) + len(report.mounts),
        complaints=complaints,
    )


def _record(push: Push, cluster: Cluster, report: InventoryReport, complaints: Complaints) -> int:
    return record_inventory(
        organization=push.organization,
        cluster=cluster,
        report=report,
        complaints=complaints,
        now=push.at,
    )
