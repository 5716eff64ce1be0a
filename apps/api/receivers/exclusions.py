"""POST /api/v1/exclusions: which nodes are left out, as schedulers, operators and tenants tell."""

from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.types import OpenApiTypes

from apps.api.receivers.answers import AcceptedExclusionsSerializer
from apps.api.receivers.description import JSON, SLIPS, described, example, response
from apps.api.receivers.requests.authentication import Push, cluster_of
from apps.api.receivers.requests.bodies import json_body, whole_body
from apps.api.receivers.requests.errors import BadParameters, UnknownCluster
from apps.api.receivers.requests.receiver import receiver, takes
from apps.diagnosis import zone_names
from apps.fleet.exclusions.exclusion_report import ExclusionBatch
from apps.fleet.exclusions.exclusion_rows import TooManyExclusions
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable
from apps.telemetry.formats.schedulers import kubernetes_nodes, scheduler_json
from apps.telemetry.formats.schedulers.exclusions_json import MOST_ENTRIES, exclusion_batch
from apps.telemetry.formats.schedulers.slurm_nodes import node_table
from apps.telemetry.scheduler.exclusion_reports import record_exclusions

EXAMPLE = {
    "exclusions": [
        {
            "host": "gpu071",
            "kind": "drain",
            "at": "2025-11-21T02:00:00Z",
            "reason": "NVLink errors again",
            "by": "root",
        }
    ],
    "returns": [{"host": "gpu017", "kind": "drain", "at": "2025-11-21T03:00:00Z"}],
}


@described(
    operation="push_exclusions",
    text=f"Which nodes are left out and which are in use again; at most {MOST_ENTRIES} entries. "
    "JSON as in the example; as text the output of `sinfo -R` or `scontrol show node`, with the "
    "zone of its times in `tz`; or JSON of `kubectl get nodes` or of its events. Told twice or "
    f"late it changes nothing. {SLIPS}",
    takes={JSON: example(EXAMPLE), "text/plain": OpenApiTypes.STR},
    answers={200: response(AcceptedExclusionsSerializer)},
    parameters=("cluster", "tz"),
)
@receiver(takes("cluster", "tz"))
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Record exclusions and returns; answer what came of them, and what was wrong with which."""
    complaints = Complaints()
    batch, named = _read(request, push, complaints)
    cluster = cluster_of(push=push, named=request.GET.get("cluster", "") or named)
    if cluster is None:
        raise UnknownCluster
    if not batch.count and complaints.count:
        raise NothingUsable(complaints.kept[0].detail)
    try:
        intake = record_exclusions(
            reporter=push.organization, cluster=cluster, batch=batch, now=push.at
        )
    except TooManyExclusions as error:
        raise NothingUsable(str(error)) from error
    return JsonResponse(
        {
            "accepted": intake.accepted_count,
            "begun": intake.begun_count,
            "ended": intake.ended_count,
            "reopened": intake.reopened_count,
            "rejected": complaints.as_json(),
        }
    )


def _read(request: HttpRequest, push: Push, complaints: Complaints) -> tuple[ExclusionBatch, str]:
    """Return what the body says, and the cluster that it names."""
    if request.content_type == "text/plain":
        return _table(request, push, complaints), ""
    said = scheduler_json.document(body=json_body(request))
    if said.get("kind") in kubernetes_nodes.KINDS:
        batch = kubernetes_nodes.kubernetes_batch(said=said, complaints=complaints, now=push.at)
        return batch, ""
    batch = exclusion_batch(said=said, complaints=complaints, now=push.at)
    return batch, str(said.get("cluster") or "")


def _table(request: HttpRequest, push: Push, complaints: Complaints) -> ExclusionBatch:
    zone = request.GET.get("tz", "")
    if not zone:
        raise BadParameters("`tz`: Slurm prints local times; name their zone, like Asia/Seoul")
    if not zone_names.is_zone(name=zone):
        raise BadParameters(f"`tz`: {zone_names.refusal(name=zone)}")
    text = whole_body(request).decode(errors="replace")
    return node_table(text=text, zone=ZoneInfo(zone), printed_at=push.at, complaints=complaints)
