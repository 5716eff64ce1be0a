"""POST /loki/api/v1/push: JSON and snappy protobuf, plain and gzip."""

from collections import defaultdict

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from apps.api.receivers.door import Push, cluster_of, receiver
from apps.fleet.models import Cluster
from apps.telemetry.accept import LOKI, accept
from apps.telemetry.formats import coding, loki
from apps.telemetry.formats.lines import Complaints, NothingUsable, Piece, Torn
from apps.tenancy.scope import organization_scope

# The format has to be held as a whole; senders' batches have about a mebibyte.
LIMIT_BYTES = 16 * 2**20
PROTOBUF = "application/x-protobuf"


@receiver
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Store the lines of a push and answer 204, as Loki does."""
    complaints = Complaints()
    pieces = _pieces(request, complaints)
    by_cluster: dict[Cluster | None, list[Piece]] = defaultdict(list)
    for piece in pieces:
        by_cluster[cluster_of(push=push, named=piece.labels.get("cluster", ""))].append(piece)
    with organization_scope(push.organization.pk):
        for cluster, group in by_cluster.items():
            accept(
                organization_id=push.organization.pk,
                cluster_id=cluster.pk if cluster else None,
                protocol=LOKI,
                pieces=group,
                complaints=complaints,
                now=push.at,
            )
    return HttpResponse(status=204)


def _pieces(request: HttpRequest, complaints: Complaints) -> list[Piece]:
    limit = min(LIMIT_BYTES, settings.PORTAL_MAX_DECODED_BYTES)
    source = coding.steps(body=request, limit=min(limit, settings.PORTAL_MAX_BODY_BYTES))
    named = request.headers.get("Content-Encoding", "identity").lower()
    if named not in {"identity", "", "gzip", "snappy"}:
        raise NothingUsable(f"Content-Encoding {named!r} is not taken; send plain, gzip or snappy")
    unpacked = coding.decoded(
        source=source, coding="gzip" if named == "gzip" else "identity", limit=limit
    )
    try:
        body = b"".join(unpacked)
    except Torn as error:
        raise NothingUsable(str(error)) from error
    if request.content_type == PROTOBUF or named == "snappy":
        body = coding.unsnapped(body=body, limit=limit)
        return loki.read_protobuf(body=body, complaints=complaints)
    return loki.read_json(body=body, complaints=complaints)
