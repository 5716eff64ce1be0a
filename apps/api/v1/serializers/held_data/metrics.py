"""Answers of metrics sources, as they are sent."""

import numpy as np
from rest_framework import serializers

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
