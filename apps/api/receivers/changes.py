"""POST /api/v1/changes: what a party changed, as pipelines, configuration tools and people tell."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.api.receivers.answers import UNKNOWN_HOSTS_NAMED, AcceptedChangesSerializer
from apps.api.receivers.description import JSON, SLIPS, described, example, response
from apps.api.receivers.requests.authentication import Push, cluster_of
from apps.api.receivers.requests.bodies import json_body
from apps.api.receivers.requests.errors import UnknownCluster
from apps.api.receivers.requests.receiver import receiver, takes
from apps.fleet.changes.change_acts import record_changes
from apps.fleet.changes.change_rows import TooManyChanges
from apps.telemetry.formats.changes_json import MOST_ENTRIES, change_reports
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable
from apps.telemetry.formats.schedulers import scheduler_json
from apps.tenancy.access import NotFound

EXAMPLE = {
    "changes": [
        {
            "key": "driver-rollout-17",
            "kind": "driver",
            "at": "2025-11-21T02:00:00Z",
            "until": "2025-11-21T02:20:00Z",
            "hosts": ["gpu[071-073]"],
            "title": "GPU driver of rack 7",
            "before": "550.54",
            "after": "560.35",
            "reference": "CHG-2214",
            "url": "https://git.example.com/infra/-/pipelines/2214",
            "by": "ansible",
        }
    ]
}


@described(
    operation="push_changes",
    text="What the token's organization changed: one object, or a list in `changes`, at most "
    f"{MOST_ENTRIES}. `key` is yours: the same key is the same change, told again it replaces what "
    "was said before, and the same said again changes nothing. Without `hosts` it is of the whole "
    "cluster; without `layer` it follows from the kind. Others read of it what an agreement shows. "
    f"{SLIPS}",
    takes={JSON: example(EXAMPLE)},
    answers={200: response(AcceptedChangesSerializer)},
    parameters=("cluster",),
)
@receiver(takes("cluster"))
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Record changes; answer what came of them, and what was wrong with which."""
    complaints = Complaints()
    said = scheduler_json.document(body=json_body(request))
    reports = change_reports(said=said, complaints=complaints, now=push.at)
    named = request.GET.get("cluster", "") or str(said.get("cluster") or "")
    cluster = cluster_of(push=push, named=named)
    if cluster is None:
        raise UnknownCluster
    if not reports and complaints.count:
        raise NothingUsable(complaints.kept[0].detail)
    try:
        intake = record_changes(
            reporter=push.organization,
            cluster=cluster,
            reports=reports,
            sender=push.label,
            now=push.at,
        )
    except TooManyChanges as error:
        raise NothingUsable(str(error)) from error
    except NotFound as error:
        raise UnknownCluster from error
    return JsonResponse(
        {
            "accepted": intake.accepted_count,
            "new": intake.new_count,
            "updated": intake.updated_count,
            "unknown_hosts": intake.unknown_hosts[:UNKNOWN_HOSTS_NAMED],
            "unknown_host_count": len(intake.unknown_hosts),
            "rejected": complaints.as_json(),
        }
    )
