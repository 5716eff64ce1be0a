"""POST /api/v1/logs: text, packed or not, one file as the body or many in a form."""

from collections.abc import Iterator

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.types import OpenApiTypes

from apps.api.receivers.answers import AcceptedLinesSerializer
from apps.api.receivers.description import JSON, described, example, response
from apps.api.receivers.requests.authentication import Push, cluster_of
from apps.api.receivers.requests.receiver import receiver
from apps.diagnosis.spelling import shown
from apps.fleet.authority.rules import PartRefused
from apps.telemetry.formats import label_parameters, labels, upload
from apps.telemetry.formats.compression import coding
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.formats.records import MOST_RECORDS
from apps.telemetry.logs.accept import UPLOAD, accept
from apps.tenancy.scope import organization_scope

RECORDS = frozenset({"application/json", "application/x-ndjson"})

EXAMPLE = (
    "2025-11-21T02:00:00Z gpu017 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen"
)


def _check(request: HttpRequest) -> None:
    label_parameters.check(given=dict(request.GET.lists()))


@described(
    operation="push_logs",
    text="Text, JSON records or a form of files, plain, gzip or zstd; sizes as "
    "PORTAL_MAX_BODY_BYTES and PORTAL_MAX_DECODED_BYTES say, JSON of at most "
    f"{MOST_RECORDS} records. A parameter is a label of the lines, by these names or those that "
    "agents use for them; one of your own is written `label.<name>`, and any other is refused.",
    takes={
        "text/plain": example(EXAMPLE, OpenApiTypes.STR),
        "application/octet-stream": OpenApiTypes.BINARY,
        JSON: {"type": "array", "items": {"type": "object"}},
        "multipart/form-data": OpenApiTypes.OBJECT,
    },
    answers={200: response(AcceptedLinesSerializer)},
    parameters=("cluster", "session", "attempt", "host", "rank", "stream", "tz"),
)
@receiver(_check)
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Store files of lines; answer what was new of them, and what was wrong with which line."""
    said = label_parameters.labels_of(parameters=request.GET)
    is_form = request.content_type == "multipart/form-data"
    if is_form:
        label_parameters.check(given=dict(request.POST.lists()))
        said |= label_parameters.labels_of(parameters=request.POST)
    named = labels.canonical(labels=said)
    cluster = cluster_of(push=push, named=named.get("cluster", ""))
    complaints = Complaints()
    pieces = _files(request, said, complaints) if is_form else _body(request, said, complaints)
    with organization_scope(push.organization.pk):
        receipt = accept(
            organization_id=push.organization.pk,
            cluster_id=cluster.pk if cluster else None,
            protocol=UPLOAD,
            pieces=pieces,
            complaints=complaints,
            now=push.at,
        )
    if receipt is None and complaints.part_refusal:
        raise PartRefused(complaints.part_refusal)
    if receipt is None:
        raise NothingUsable(_why_nothing(complaints))
    page = f"/o/{push.organization.slug}/upload/{receipt.batch}/"
    return JsonResponse(
        {
            "batch": receipt.batch,
            "accepted": receipt.accepted,
            "duplicates": receipt.duplicates,
            "rejected": complaints.as_json(),
            "url": settings.PORTAL_BASE_URL + page,
        }
    )


def _body(
    request: HttpRequest, said: dict[str, str], complaints: Complaints
) -> Iterator[LinePiece]:
    source = coding.steps(body=request, limit=settings.PORTAL_MAX_BODY_BYTES)
    return upload.read_file(
        source=source,
        labels=said,
        limit=settings.PORTAL_MAX_DECODED_BYTES,
        complaints=complaints,
        is_json=request.content_type in RECORDS,
    )


def _files(
    request: HttpRequest, said: dict[str, str], complaints: Complaints
) -> Iterator[LinePiece]:
    files = [file for _, group in request.FILES.lists() for file in group]
    for file in files:
        name = file.name or ""
        try:
            yield from upload.read_file(
                source=coding.steps(body=file, limit=settings.PORTAL_MAX_BODY_BYTES),
                labels=upload.labels_of_file(name=name, said=said),
                limit=settings.PORTAL_MAX_DECODED_BYTES,
                complaints=complaints,
            )
        except (NothingUsable, TooBig) as error:  # of many: which one
            raise type(error)(f"{shown(word=name)}: {error}; nothing was stored") from error


def _why_nothing(complaints: Complaints) -> str:
    if complaints.kept:
        return f"no line could be kept: {complaints.kept[0].detail}"
    return "there is no line in it"
