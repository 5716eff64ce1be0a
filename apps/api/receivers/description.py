"""How the receivers describe themselves in docs/openapi.yaml: what they take, answer and refuse."""

from collections.abc import Callable, Mapping
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiRequest,
    OpenApiResponse,
    extend_schema,
)
from rest_framework.views import APIView

from apps.api.receivers.requests.receiver import View
from apps.api.v1.base_view import TokenAuthentication
from apps.api.v1.schema import ProblemSerializer

NANOSECONDS = "1763690400000000000"  # of the examples
MEBIBYTE = 2**20
JSON, PROTOBUF, PROBLEM = "application/json", "application/x-protobuf", "application/problem+json"
UNKNOWN = "A parameter that is not named here is refused; labels of any name are kept."
SLIPS = "A parameter or key that is not known is refused, with the one that was probably meant."
DURABLE = "Durable."
LATER = "Durable, and carried out in a while: GET `url` says what became of it."
REFUSALS = {
    400: "Nothing in the body can be used, or the cluster has to be named. Never send it again.",
    401: "No token, or one that is unknown, expired or revoked.",
    403: "The token lacks the scope `ingest`, its organization's part in the cluster may not say "
    "this, or the source is not taken.",
    404: "There is no such cluster for this token.",
    413: "Too big; send it in parts.",
    415: "Another coding or version, please.",
    429: "Over quota, or more at once than this organization's share. Again after Retry-After.",
    503: "Nothing was stored: the database or the disk has no room. Again after Retry-After.",
}
RETRY_AFTER = OpenApiParameter("Retry-After", int, OpenApiParameter.HEADER, response=["429", "503"])
PARAMETERS = {
    "cluster": "The cluster; else the label `cluster`, else the only one of the token.",
    "source": "A name for this sender, where several send metrics of one cluster.",
    "session": "The scheduler's id of the session, or a name of yours.",
    "attempt": "Which try of the session, counted from 1.",
    "host": "The node that the lines are of.",
    "rank": "The rank that printed them.",
    "stream": "session, kernel, scheduler, storage, fabric or bmc.",
    "format": "Of a body as schedulers export it: sacct (a table of sacct -P), kubernetes (pods, "
    "jobs and events as JSON), backend.ai (sessions, scheduling history, callbacks).",
    "project": "Of what the export names no project of.",
    "tz": "The time zone of stamps that print none, like Asia/Seoul.",
}

Answers = Mapping[int | tuple[int, str], Any]  # by status, and by media type where it matters
Media = Mapping[str, Any]


class ReceiverSchema(AutoSchema):
    """Describes what has always a body."""

    def get_operation(self, *args: Any) -> Any:
        """Return the operation."""
        operation: Any = super().get_operation(*args)
        operation["requestBody"]["required"] = True
        return operation


class DescribedReceiver(APIView):
    """What the interface's description reads of a receiver, whose function answers the pushes."""

    authentication_classes = (TokenAuthentication,)
    permission_classes = ()
    schema = ReceiverSchema()


def described(
    *,
    operation: str,
    text: str,
    takes: Media,
    answers: Answers,
    parameters: tuple[str, ...] = (),
    refusal: Media | None = None,
) -> Callable[[View], View]:
    """Describe a receiver: `takes` and `refusal` are by media type, `answers` by status."""
    query = [OpenApiParameter(name, str, description=PARAMETERS[name]) for name in parameters]
    describe = extend_schema(
        operation_id=operation,
        description=text,
        tags=["push"],
        parameters=[*query, RETRY_AFTER],
        request=dict(takes),
        responses={**answers, **_refusals(refusal or {PROBLEM: ProblemSerializer})},
    )

    def mark(view: View) -> View:
        def post(self: APIView) -> None:
            """Stand for the function."""

        # What drf-spectacular knows a view of the interface by.
        found: Any = view
        found.cls = type(operation, (DescribedReceiver,), {"post": describe(post)})
        found.initkwargs = {}
        return view

    return mark


def example(value: Any, of: Any = OpenApiTypes.OBJECT) -> OpenApiRequest:
    """Return a body by one that is taken."""
    return OpenApiRequest(of, examples=[OpenApiExample("A push", value=value)])


def response(serializer: Any = None, *, text: str = DURABLE) -> OpenApiResponse:
    """Return an answer."""
    return OpenApiResponse(serializer, description=text)


def _refusals(bodies: Media) -> dict[tuple[int, str], OpenApiResponse]:
    return {
        (status, kind): OpenApiResponse(body, description=text)
        for status, text in REFUSALS.items()
        for kind, body in bodies.items()
    }
