"""POST /api/v1/alertmanager: notifications of Alertmanager's webhook, version 4.

Alertmanager tries again on 5xx alone and drops what it is told 4xx for. So what will be right later
is 503 here, never 429; what will never be right is 400.
"""

from collections.abc import Mapping, Sequence
from functools import wraps

import orjson
from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.api.problems import problem
from apps.api.receivers.answers import AcceptedAlertsSerializer
from apps.api.receivers.description import JSON, UNKNOWN, described, example, response
from apps.api.receivers.requests.authentication import Push, by_cluster
from apps.api.receivers.requests.bodies import json_body
from apps.api.receivers.requests.errors import NO_SUCH_CLUSTER
from apps.api.receivers.requests.receiver import View, receiver, takes
from apps.fleet.models import Cluster
from apps.telemetry.formats import alertmanager
from apps.telemetry.formats.alertmanager import ALERTS_LIMIT
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.logs.accept import ALERTS, accept
from apps.tenancy.scope import organization_scope

EXAMPLE = {
    "version": "4",
    "status": "firing",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "GpuXid", "instance": "gpu017:9400", "severity": "critical"},
            "annotations": {"summary": "Xid 79"},
            "startsAt": "2025-11-21T02:00:00Z",
            "fingerprint": "8a1b2c3d4e5f6071",
        }
    ],
}


def retried_on_503(view: View) -> View:
    """Say 503 where other receivers say 429: Alertmanager would drop what it is told that for."""

    @wraps(view)
    def told(request: HttpRequest) -> HttpResponse:
        answer = view(request)
        if answer.status_code != 429:
            return answer
        said = orjson.loads(answer.content)
        return problem(
            status=503,
            code=said["code"],
            detail=said["detail"],
            headers={"Retry-After": answer["Retry-After"]},
        )

    return told


@described(
    operation="push_alertmanager",
    text=f"Alertmanager's webhook, version 4; at most {ALERTS_LIMIT} alerts. Over quota is 503 "
    f"here: Alertmanager tries again on 5xx alone. {UNKNOWN}",
    takes={JSON: example(EXAMPLE)},
    answers={200: response(AcceptedAlertsSerializer)},
    parameters=("cluster",),
)
@retried_on_503
@receiver(takes("cluster"))
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Store the alerts of a notification; answer what was new, and what was wrong with which."""
    complaints = Complaints()
    told = alertmanager.read(body=json_body(request), complaints=complaints)

    def refuse(_: LinePiece) -> None:
        complaints.add(line=0, code="not_found", detail=NO_SUCH_CLUSTER)

    named = request.GET.get("cluster", "")
    groups = by_cluster(push=push, pieces=told.pieces, named=named, refuse=refuse)
    if not groups and complaints.count:
        raise NothingUsable(f"no alert could be kept: {complaints.kept[0].detail}")
    accepted, duplicates = _store(push, groups, complaints)
    return JsonResponse(
        {
            "accepted": accepted,
            "duplicates": duplicates,
            "left_out_by_sender": told.truncated_count,
            "rejected": complaints.as_json(),
        }
    )


def _store(
    push: Push, groups: Mapping[Cluster | None, Sequence[LinePiece]], complaints: Complaints
) -> tuple[int, int]:
    accepted = duplicates = 0
    with organization_scope(push.organization.pk):
        for cluster, pieces in groups.items():
            receipt = accept(
                organization_id=push.organization.pk,
                cluster_id=cluster.pk if cluster else None,
                protocol=ALERTS,
                pieces=pieces,
                complaints=complaints,
                now=push.at,
            )
            accepted += receipt.accepted if receipt else 0
            duplicates += receipt.duplicates if receipt else 0
    return accepted, duplicates
