"""Measures of attempts, orders to make them, and what a GPU-hour costs."""

from apps.reliability.models.measures import AttemptHour, AttemptMeasure, MeasureOrder
from apps.reliability.models.prices import GpuPrice
from apps.reliability.models.recoveries import RecoveryMeasure

__all__ = ["AttemptHour", "AttemptMeasure", "GpuPrice", "MeasureOrder", "RecoveryMeasure"]
