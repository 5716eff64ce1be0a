"""POST /api/v1/write: Prometheus remote_write 1.0 and 2.0.

What a sender makes of an answer is part of the protocol. 400: never again, so only for what will
never be right; what else is in such a body is stored. 415: another version, please. 429 and 503:
later. 2xx: the body is durable, all of it.
"""

from email.message import Message
from typing import Final

from django.http import HttpRequest, HttpResponse
from drf_spectacular.types import OpenApiTypes

from apps.api.problems import problem
from apps.api.receivers.description import MEBIBYTE, UNKNOWN, described, response
from apps.api.receivers.metrics import keep
from apps.api.receivers.requests.authentication import Push
from apps.api.receivers.requests.bodies import LIMIT_BYTES, whole_body
from apps.api.receivers.requests.errors import UnsupportedMedia
from apps.api.receivers.requests.receiver import receiver, takes
from apps.telemetry.formats import remote_write
from apps.telemetry.formats.columns import Columns
from apps.telemetry.formats.compression import coding
from apps.telemetry.formats.remote_write import SAMPLES_LIMIT
from apps.telemetry.samples.accept import REMOTE_WRITE_1, REMOTE_WRITE_2

PROTOBUF: Final = "application/x-protobuf"
PROTOCOLS: Final = {
    "prometheus.WriteRequest": REMOTE_WRITE_1,
    "io.prometheus.write.v2.Request": REMOTE_WRITE_2,
}


@described(
    operation="push_remote_write",
    text=f"Prometheus remote_write 1.0 and 2.0, snappy blocks; at most {LIMIT_BYTES // MEBIBYTE} "
    f"MiB unpacked and {SAMPLES_LIMIT} samples. A 400 `partly_refused` has stored the rest. "
    f"{UNKNOWN}",
    takes={PROTOBUF: OpenApiTypes.BINARY},
    answers={204: response()},
    parameters=("cluster", "source"),
)
@receiver(takes("cluster", "source"))
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Store samples and answer 204, with what the window takes of them for 2.0."""
    protocol = _protocol(request)
    body = coding.unsnapped(body=whole_body(request), limit=LIMIT_BYTES)
    read = remote_write.read_v2 if protocol == REMOTE_WRITE_2 else remote_write.read_v1
    columns = read(body=body)
    keep(request=request, push=push, protocol=protocol, raw=body, columns=columns)
    headers = _written(columns) if protocol == REMOTE_WRITE_2 else {}
    if not columns.refused_count:
        return HttpResponse(status=204, headers=headers)
    told = (
        f"{columns.refused_count} samples were left out: {columns.refusal}; "
        f"the other {len(columns.series)} were stored"
    )
    return problem(status=400, code="partly_refused", detail=told, headers=headers)


def _protocol(request: HttpRequest) -> str:
    """Return the version that a sender speaks; raise UnsupportedMedia."""
    coded = request.headers.get("Content-Encoding", "snappy").lower()
    if coded != "snappy":
        raise UnsupportedMedia(f"Content-Encoding {coded[:40]!r} is not taken; send snappy blocks")
    said = Message()
    said["Content-Type"] = request.headers.get("Content-Type") or PROTOBUF
    if said.get_content_type() != PROTOBUF:
        raise UnsupportedMedia(f"send {PROTOBUF}, with proto= for version 2.0")
    proto = str(said.get_param("proto") or "prometheus.WriteRequest")
    if proto not in PROTOCOLS:
        raise UnsupportedMedia(f"this proto is not known; known are {', '.join(PROTOCOLS)}")
    return PROTOCOLS[proto]


def _written(columns: Columns) -> dict[str, str]:
    """Return what the window takes: duplicates count, native histograms and exemplars don't."""
    written = {"Samples": len(columns.series), "Histograms": 0, "Exemplars": 0}
    return {f"X-Prometheus-Remote-Write-{what}-Written": str(n) for what, n in written.items()}
