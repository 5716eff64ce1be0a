"""POST /loki/api/v1/push: JSON and snappy protobuf, plain and gzip."""

from collections import defaultdict

from django.http import HttpRequest, HttpResponse
from drf_spectacular.types import OpenApiTypes

from apps.api.problems import problem
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
from apps.api.receivers.requests.authentication import Push, cluster_of
from apps.api.receivers.requests.bodies import LIMIT_BYTES, json_body, whole_body
from apps.api.receivers.requests.receiver import receiver, takes
from apps.fleet.authority.rules import PartRefused
from apps.fleet.models import Cluster
from apps.telemetry.formats.compression import coding
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.formats.loki import loki_json, loki_protobuf
from apps.telemetry.formats.loki.loki_json import JSON_LIMIT_BYTES
from apps.telemetry.formats.loki.loki_protobuf import ENTRY_LIMIT_BYTES
from apps.telemetry.formats.loki.stream_pieces import STREAMS_LIMIT
from apps.telemetry.logs.accept import LOKI, accept
from apps.tenancy.scope import organization_scope

EXAMPLE = {
    "streams": [
        {
            "stream": {"session": "job-1", "host": "gpu017", "stream": "session"},
            "values": [[NANOSECONDS, "step 100 loss 2.31"]],
        }
    ]
}


@described(
    operation="push_loki",
    text=f"Lines as Grafana's Loki takes them; snappy protobuf of at most "
    f"{LIMIT_BYTES // MEBIBYTE} MiB unpacked, or JSON of {JSON_LIMIT_BYTES // MEBIBYTE} MiB; at "
    f"most {STREAMS_LIMIT} streams, and {ENTRY_LIMIT_BYTES // MEBIBYTE} MiB of an entry. "
    f"{UNKNOWN}",
    takes={JSON: example(EXAMPLE), PROTOBUF: OpenApiTypes.BINARY},
    answers={204: response()},
)
@receiver(takes())
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Store the lines of a push and answer 204, as Loki does."""
    complaints = Complaints()
    pieces = _pieces(request, complaints)
    by_cluster: dict[Cluster | None, list[LinePiece]] = defaultdict(list)
    names = {piece.labels.get("cluster", "") for piece in pieces}
    clusters = {name: cluster_of(push=push, named=name) for name in sorted(names)}
    for piece in pieces:
        by_cluster[clusters[piece.labels.get("cluster", "")]].append(piece)
    is_kept = False
    with organization_scope(push.organization.pk):
        for cluster, group in by_cluster.items():
            receipt = accept(
                organization_id=push.organization.pk,
                cluster_id=cluster.pk if cluster else None,
                protocol=LOKI,
                pieces=group,
                complaints=complaints,
                now=push.at,
            )
            is_kept = is_kept or receipt is not None
    if complaints.part_refusal and not is_kept:
        raise PartRefused(complaints.part_refusal)
    if complaints.part_refusal:
        # Loki's senders do not send again what is answered so, and write down why.
        told = f"{complaints.part_refusal}; the other streams were stored"
        return problem(status=400, code="partly_refused", detail=told)
    return HttpResponse(status=204)


def _pieces(request: HttpRequest, complaints: Complaints) -> list[LinePiece]:
    named = request.headers.get("Content-Encoding", "").lower()
    if request.content_type == PROTOBUF or named == "snappy":
        body = coding.unsnapped(body=whole_body(request), limit=LIMIT_BYTES)
        return loki_protobuf.read_protobuf(body=body, complaints=complaints)
    return loki_json.read_json(body=json_body(request), complaints=complaints)
