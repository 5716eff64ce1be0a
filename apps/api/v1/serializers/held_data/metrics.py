"""Answers of metrics sources, as they are sent."""

from typing import Any

import numpy as np
from rest_framework import serializers

from apps.api.v1.filters import InstantField
from apps.diagnosis.input_values import MOST
from apps.telemetry.facade.explore import MetricAnswer, MetricSeries


class MetricSeriesSerializer(serializers.Serializer[MetricSeries]):
    """One series; a value is null where nothing was measured, which is not zero."""

    labels = serializers.DictField(child=serializers.CharField())
    values = serializers.SerializerMethodField()

    def get_values(self, series: MetricSeries) -> list[float | None]:
        """Return one value an instant; what JSON can't write is null, too."""
        return [value if np.isfinite(value) else None for value in series.values.tolist()]


class MetricAnswerSerializer(serializers.Serializer[MetricAnswer]):
    """What a source answered, on one grid of instants."""

    promql = serializers.CharField(help_text="Gives the same there.")
    unit = serializers.CharField()
    step = serializers.FloatField(help_text="Seconds between instants.")
    at = serializers.SerializerMethodField()
    series = MetricSeriesSerializer(many=True)
    more_count = serializers.IntegerField(help_text="Series that are left out.")
    warning = serializers.SerializerMethodField()
    is_simulated = serializers.BooleanField()

    def get_at(self, answer: MetricAnswer) -> list[float]:
        """Return the instants in Unix seconds."""
        return list(answer.at.tolist())

    def get_warning(self, answer: MetricAnswer) -> bool:
        """Say whether the server calls its answer partial."""
        return bool(answer.warning)


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
