"""POST /api/v1/recovery-events: what a job tells of recovering while it runs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.api.receivers.answers import AcceptedSerializer
from apps.api.receivers.description import (
    JSON,
    MEBIBYTE,
    SLIPS,
    described,
    example,
    response,
)
from apps.api.receivers.requests.authentication import Push, cluster_of
from apps.api.receivers.requests.bodies import LIMIT_BYTES, json_body
from apps.api.receivers.requests.errors import ClusterMissing, UnknownCluster
from apps.api.receivers.requests.receiver import receiver, takes
from apps.fleet.authority.rules import PartRefused
from apps.fleet.models import Cluster
from apps.telemetry.formats import recovery_json
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable
from apps.telemetry.formats.recovery_json import ToldFact
from apps.telemetry.formats.schedulers import scheduler_json
from apps.telemetry.recovery.reports import record_recovery
from apps.telemetry.scheduler.refused_reports import note_refused

EXAMPLE = {
    "session": "job-1",
    "attempt": 1,
    "events": [
        {"event": "job_began", "at": "2025-11-21T02:00:00Z", "replicas": 64, "gpus": 512},
        {
            "event": "replica_lost",
            "at": "2025-11-21T02:10:00Z",
            "replica": "dp7",
            "step": 120,
            "phase": "gradient-sync",
            "gpus": 8,
        },
    ],
}


@described(
    operation="push_recovery_events",
    text="How a job that recovers in place tells of losses, repairs and steps; one event or "
    f"several ({recovery_json.MOST_EVENTS} and {LIMIT_BYTES // MEBIBYTE} MiB at most). Sent again "
    f"it is kept once: by `id`, else by what it says. docs/recovery-events.md has each. {SLIPS}",
    takes={JSON: example(EXAMPLE)},
    answers={200: response(AcceptedSerializer)},
)
@receiver(takes())
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Keep events; answer how many, and what was wrong with which."""
    complaints = Complaints()
    said = scheduler_json.document(body=json_body(request))
    try:
        facts = recovery_json.told_facts(said=said, complaints=complaints)
        accepted = record_recovery(
            reporter=push.organization,
            facts=by_cluster(push, facts),
            complaints=complaints,
            now=push.at,
        )
    except (NothingUsable, UnknownCluster, ClusterMissing, PartRefused) as error:
        why = str(error) or "The event names none of the token's clusters."
        note_refused(organization_id=push.organization.pk, count=1, why=why, now=push.at)
        raise
    if not accepted and complaints.count:
        raise NothingUsable(complaints.kept[0].detail)
    return JsonResponse({"accepted": accepted, "rejected": complaints.as_json()})


def by_cluster(push: Push, facts: Sequence[ToldFact]) -> Mapping[Cluster, list[ToldFact]]:
    """Return facts by their clusters; raise UnknownCluster, ClusterMissing."""
    clusters: dict[str, Cluster] = {}
    found: dict[Cluster, list[ToldFact]] = defaultdict(list)
    for each in facts:
        if each.cluster not in clusters:
            cluster = cluster_of(push=push, named=each.cluster)
            if cluster is None:
                raise UnknownCluster
            clusters[each.cluster] = cluster
        found[clusters[each.cluster]].append(each)
    return found
