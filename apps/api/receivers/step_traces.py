"""POST /api/v1/step-traces: a step trace of one attempt, read at once; what it says is kept."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers

from apps.api.receivers.description import described, response
from apps.api.receivers.requests.authentication import Push, cluster_of
from apps.api.receivers.requests.bodies import whole_body
from apps.api.receivers.requests.errors import BadParameters, UnknownCluster
from apps.api.receivers.requests.receiver import receiver, takes
from apps.diagnosis.input_values import whole_number
from apps.reliability.facade.stragglers import add_trace, named_session
from apps.reliability.stragglers.values import FindingView
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.formats.lines.complaints import NothingUsable
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.scope import organization_scope

NO_SESSION: Final = "there is no such session or attempt in this cluster for this credential"
LIMIT: Final = "16 MiB packed, 64 MiB unpacked"


class TraceReadSerializer(serializers.Serializer[FindingView]):
    """What the trace says; the whole stands under the session's `stragglers`."""

    id = serializers.CharField()
    cause = serializers.CharField(allow_blank=True)
    slowdown = serializers.FloatField(allow_null=True)
    discrepancy = serializers.FloatField(allow_null=True)


@described(
    operation="push_step_trace",
    text="One file: an NDTimeline table (Parquet or CSV), a Kineto or Chrome trace, lines of the "
    f"NCCL Inspector, or a tar of those of all ranks; plain, gzip or zstd, {LIMIT}. It is read at "
    "once; the figures are kept and the trace is not. The same trace again changes nothing.",
    takes={
        "application/octet-stream": OpenApiTypes.BINARY,
        "application/x-ndjson": OpenApiTypes.STR,
    },
    answers={200: response(TraceReadSerializer)},
    parameters=("cluster", "session", "attempt"),
)
@receiver(takes("cluster", "session", "attempt"))
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Read a trace; answer what it says."""
    name, attempt = request.GET.get("session", ""), request.GET.get("attempt", "")
    number = whole_number(attempt) if attempt else None
    if not name or (attempt and number is None):
        raise BadParameters("name the `session`, and the `attempt` by its number")
    cluster = cluster_of(push=push, named=request.GET.get("cluster", ""))
    if cluster is None:
        raise UnknownCluster
    actor = Actor(organization=push.organization, rights=frozenset({Right.READ, Right.ACT}))
    body = whole_body(request)
    with organization_scope(push.organization.pk):
        try:
            session = named_session(actor=actor, cluster=cluster.slug, name=name)
            made = add_trace(
                actor=actor,
                session=session.public_id,
                attempt=number,
                files=[("trace", body)],
                now=push.at,
            )
        except NotFound as error:
            raise NothingUsable(NO_SESSION) from error
        except UnusableInput as error:
            raise NothingUsable(str(error)) from error
        act = AuditAction(action="session.traced", subject=f"{session.public_id} {made.public_id}")
        record(organization_id=push.organization.pk, act=act, now=push.at)
    return JsonResponse(_told(made))


def _told(made: FindingView) -> dict[str, Any]:
    return {
        "id": made.public_id,
        "cause": made.cause,
        "slowdown": made.slowdown,
        "discrepancy": made.discrepancy,
    }
