"""Metrics of an organization's own sources."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import InstantField
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers
from apps.api.v1.serializers.held_data.metrics import (
    MetricAnswerSerializer,
)
from apps.diagnosis.input_values import MOST
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


class MetricQuerySerializer(serializers.Serializer[Any]):
    """A signal of the catalog or PromQL, of one source, over a time."""

    source = serializers.CharField(max_length=40)  # type: ignore[assignment]  # published name
    signal = serializers.CharField(max_length=120, required=False)
    host = serializers.CharField(max_length=253, default="")
    gpu = serializers.IntegerField(min_value=0, max_value=MOST, required=False)
    q = serializers.CharField(max_length=2_000, required=False)
    until = InstantField()

    def get_fields(self) -> dict[str, Any]:
        """Return the fields; `from` is no name that Python takes."""
        return {**super().get_fields(), "from": InstantField()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse none and both, and a span without an end."""
        for name in ("from", "until"):
            if name not in attrs:
                raise serializers.ValidationError({name: "say from when until when"})
        if ("signal" in attrs) == ("q" in attrs):
            raise serializers.ValidationError({"signal": "say either a signal or `q`"})
        return attrs


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
