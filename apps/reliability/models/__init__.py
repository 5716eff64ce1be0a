"""Measures of attempts, orders to make them, what a GPU-hour costs, and reports."""

from apps.reliability.models.measures import AttemptHour, AttemptMeasure, MeasureOrder
from apps.reliability.models.prices import GpuPrice
from apps.reliability.models.recoveries import RecoveryMeasure
from apps.reliability.models.reports import (
    Report,
    ReportRhythm,
    ReportSchedule,
    ReportSignature,
    ReportStance,
)

__all__ = [
    "AttemptHour",
    "AttemptMeasure",
    "GpuPrice",
    "MeasureOrder",
    "RecoveryMeasure",
    "Report",
    "ReportRhythm",
    "ReportSchedule",
    "ReportSignature",
    "ReportStance",
]
