"""Episodes beside labelled failures. Reading order: labels, alarms, intervals, judge, document."""

from apps.diagnosis.backtest.judge import judge
from apps.diagnosis.backtest.labels import Label, LabelError, read_labels
from apps.diagnosis.backtest.report import Report, Watched

__all__ = ["Label", "LabelError", "Report", "Watched", "judge", "read_labels"]
