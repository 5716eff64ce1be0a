"""Episodes beside labelled failures. Reading order: labels, alarms, scoring, document."""

from apps.diagnosis.detection.backtest.labels import Label, LabelError, read_labels
from apps.diagnosis.detection.backtest.report import BacktestReport, WatchedSpan
from apps.diagnosis.detection.backtest.scoring import judge

__all__ = ["BacktestReport", "Label", "LabelError", "WatchedSpan", "judge", "read_labels"]
