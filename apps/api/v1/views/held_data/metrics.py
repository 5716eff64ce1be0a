"""Metrics of an organization's own sources."""

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers
from apps.api.v1.serializers.held_data.metrics import (
    MetricAnswerSerializer,
    MetricQuerySerializer,
)
from apps.telemetry.facade.explore import (
    MetricSpan,
    QueryRefusal,
    QuestionRefused,
    ask_promql,
    ask_signal,
)
from apps.tenancy.access import Right

# Which parameter a refusal is about.
ABOUT = {
    QueryRefusal.BAD_SPAN: "until",
    QueryRefusal.NO_SIGNAL: "signal",
    QueryRefusal.NOT_SERVED: "signal",
    QueryRefusal.TOO_MANY: "host",
    QueryRefusal.TOO_LONG: "q",
    QueryRefusal.REFUSED: "q",
    QueryRefusal.TOO_SLOW: "until",
    QueryRefusal.UNREACHABLE: "source",
}


class MetricQuery(OrganizationView):
    """What one of an organization's own sources answers."""

    holds_scope = False

    @takes(*MetricQuerySerializer().fields)
    @extend_schema(
        responses=answers(MetricAnswerSerializer),
        parameters=[MetricQuerySerializer],
        operation_id="metric_query",
    )
    def get(self, request: Request, organization: str) -> Response:
        """Return a signal or PromQL over a time, at most 600 instants and 50 series."""
        self.actor.require(Right.READ)
        asked = read_query(MetricQuerySerializer, request=request)
        span = MetricSpan(starts_at=asked["from"], ends_at=asked["until"])
        place = {"actor": self.actor, "source": asked["source"], "span": span}
        try:
            if "q" in asked:
                answer = ask_promql(query=asked["q"], **place)
            else:
                answer = ask_signal(
                    signal=asked["signal"], host=asked["host"], gpu=asked.get("gpu"), **place
                )
        except QuestionRefused as error:
            told = f"{error.kind.value}: {error.detail}" if error.detail else error.kind.value
            raise ValidationError({ABOUT[error.kind]: told}) from error
        return Response(MetricAnswerSerializer(answer).data)
