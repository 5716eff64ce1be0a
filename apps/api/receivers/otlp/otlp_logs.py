"""POST /v1/logs: OpenTelemetry's logs over HTTP, protobuf and JSON, plain and gzip."""

from collections.abc import Mapping, Sequence

from django.http import HttpRequest, HttpResponse
from drf_spectacular.types import OpenApiTypes

from apps.api.receivers.description import (
    JSON,
    MEBIBYTE,
    NANOSECONDS,
    PROTOBUF,
    UNKNOWN,
    described,
    example,
    response,
)
from apps.api.receivers.otlp.requests import (
    LIMIT_BYTES,
    RPC_STATUS,
    body_of,
    otlp_receiver,
)
from apps.api.receivers.recovery_events import by_cluster as by_cluster_of_facts
from apps.api.receivers.requests.authentication import Push, by_cluster
from apps.api.receivers.requests.errors import NO_SUCH_CLUSTER
from apps.api.receivers.requests.receiver import takes
from apps.fleet.authority.rules import PartRefused
from apps.fleet.models import Cluster
from apps.telemetry.formats import recovery_json
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.formats.otlp import otlp_logs
from apps.telemetry.formats.otlp.otlp_logs import RECORDS_LIMIT
from apps.telemetry.formats.otlp.otlp_request import answer
from apps.telemetry.logs.accept import OTLP, accept
from apps.telemetry.recovery.reports import record_recovery
from apps.tenancy.scope import organization_scope

Groups = Mapping[Cluster | None, Sequence[LinePiece]]

EXAMPLE = {
    "resourceLogs": [
        {
            "resource": {"attributes": [{"key": "host.name", "value": {"stringValue": "gpu017"}}]},
            "scopeLogs": [
                {
                    "logRecords": [
                        {"timeUnixNano": NANOSECONDS, "body": {"stringValue": "step 100 loss 2.31"}}
                    ]
                }
            ],
        }
    ]
}


@described(
    operation="push_otlp_logs",
    text=f"OpenTelemetry's logs; at most {LIMIT_BYTES // MEBIBYTE} MiB unpacked and "
    f"{RECORDS_LIMIT} records. A 200 may be a partial success. {UNKNOWN}",
    takes={JSON: example(EXAMPLE), PROTOBUF: OpenApiTypes.BINARY},
    answers={(200, kind): response(body) for kind, body in RPC_STATUS.items()},
    parameters=("cluster",),
    refusal=RPC_STATUS,
)
@otlp_receiver(takes("cluster"))
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Store records and answer 200, saying how many were left out and why."""
    body, is_json = body_of(request)
    complaints = Complaints()
    decode = otlp_logs.read_json if is_json else otlp_logs.read_protobuf
    read = decode(body=body, complaints=complaints)

    def refuse(piece: LinePiece) -> None:
        read.refuse(count=piece.line_count, why=NO_SUCH_CLUSTER)

    named = request.GET.get("cluster", "")
    groups = by_cluster(push=push, pieces=read.pieces, named=named, refuse=refuse)
    has_events = bool(read.recovery) and _keep_recovery(push, read, named)
    if read.refused_count and not groups and not has_events:
        raise NothingUsable(f"no record could be kept: {read.refusal}")
    is_kept = _store(push, groups, complaints, read) or has_events
    if complaints.part_refusal and not is_kept:
        raise PartRefused(complaints.part_refusal)
    said = answer(
        kind=otlp_logs.KIND,
        rejected_count=read.refused_count,
        reason=read.refusal,
        is_json=is_json,
    )
    return HttpResponse(said, content_type=request.content_type)


def _keep_recovery(push: Push, read: otlp_logs.OtlpLogs, named: str) -> bool:
    """Keep events of recovery inside running jobs; say whether any was. Others are counted."""
    complaints = Complaints()
    said = {"cluster": named} if named else {}
    facts = recovery_json.facts_of_records(
        (({**each.labels, **said}, each.event) for each in read.recovery), complaints
    )
    try:
        accepted = record_recovery(
            reporter=push.organization,
            facts=by_cluster_of_facts(push, facts),
            complaints=complaints,
            now=push.at,
        )
    except PartRefused as error:
        read.refuse(count=len(read.recovery), why=str(error))
        if not read.pieces:
            raise
        return False
    if complaints.count:
        read.refuse(count=complaints.count, why=complaints.kept[0].detail)
    return accepted > 0


def _store(push: Push, groups: Groups, complaints: Complaints, read: otlp_logs.OtlpLogs) -> bool:
    """Store them; say whether any was kept. What the sender's part may not send is counted."""
    is_kept = False
    with organization_scope(push.organization.pk):
        for cluster, pieces in groups.items():
            receipt = accept(
                organization_id=push.organization.pk,
                cluster_id=cluster.pk if cluster else None,
                protocol=OTLP,
                pieces=pieces,
                complaints=complaints,
                now=push.at,
            )
            is_kept = is_kept or receipt is not None
    if complaints.part_refusal:
        read.refuse(count=complaints.refused_line_count, why=complaints.part_refusal)
    return is_kept
