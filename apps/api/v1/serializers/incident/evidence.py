"""Kept metrics as they are sent: a gap is null, never zero."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from rest_framework import serializers

from apps.telemetry.evidence.capture_status import CaptureStatus
from apps.telemetry.evidence.captured_series import CapturedSeries
from apps.telemetry.sources.instants import instant

DIGITS = 6


class EntitySerializer(serializers.Serializer[Any]):
    """What was measured."""

    kind = serializers.CharField()
    host = serializers.CharField(allow_null=True)
    index = serializers.IntegerField(allow_null=True)
    uuid = serializers.CharField(allow_null=True)
    pci = serializers.CharField(allow_null=True)
    name = serializers.CharField(allow_null=True)


class KeptSerializer(serializers.Serializer[CapturedSeries]):
    """One signal of one entity on a regular grid, beside the quantiles of its peers."""

    entity = EntitySerializer()
    signal = serializers.CharField()
    meaning = serializers.CharField()
    layer = serializers.CharField()
    family = serializers.CharField()
    unit = serializers.CharField()
    starts_at = serializers.SerializerMethodField()
    step_seconds = serializers.SerializerMethodField()
    values = serializers.SerializerMethodField()
    peers = serializers.SerializerMethodField(help_text="p5 p25 p50 p75 p95; empty: none were read")

    def get_starts_at(self, chart: CapturedSeries) -> str | None:
        """Return the time of the first value."""
        return instant(chart.at[0]).isoformat() if len(chart.at) else None

    def get_step_seconds(self, chart: CapturedSeries) -> float | None:
        """Return how far values are apart."""
        return float(chart.at[1] - chart.at[0]) if len(chart.at) > 1 else None

    def get_values(self, chart: CapturedSeries) -> list[float | None]:
        """Return the values, null where there was no data."""
        return _numbers(chart.values)

    def get_peers(self, chart: CapturedSeries) -> dict[str, list[float | None]]:
        """Return the band."""
        return {name: _numbers(line) for name, line in chart.peers.items()}


class CaptureSerializer(serializers.Serializer[CaptureStatus]):
    """How the keeping of one source's metrics stands."""

    source = serializers.CharField()  # type: ignore[assignment]  # published name
    capture_pass = serializers.IntegerField(help_text="1: at once; 2: when it is over")
    state = serializers.CharField(help_text="due captured failed given-up removed")
    due_at = serializers.DateTimeField()
    error = serializers.CharField(help_text="why it failed, or what was left out")
    attempt_count = serializers.IntegerField()
    byte_count = serializers.IntegerField()
    seconds = serializers.FloatField()


class KeptEvidenceSerializer(serializers.Serializer[Any]):
    """A page of what the reader's organization kept, and how its captures stand."""

    captures = CaptureSerializer(many=True)
    results = KeptSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    next_cursor = serializers.CharField(allow_null=True)


def _numbers(values: NDArray[np.float32]) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), DIGITS) for value in values.tolist()]
