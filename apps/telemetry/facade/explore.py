"""Questions to an organization's own metrics sources. They open scopes of their own."""

from apps.telemetry.explore.signal_questions import ask_signal
from apps.telemetry.explore.source_questions import ask_promql
from apps.telemetry.explore.values import (
    MetricAnswer,
    MetricSeries,
    MetricSpan,
    QueryRefusal,
    QuestionRefused,
)

__all__ = [
    "MetricAnswer",
    "MetricSeries",
    "MetricSpan",
    "QueryRefusal",
    "QuestionRefused",
    "ask_promql",
    "ask_signal",
]
