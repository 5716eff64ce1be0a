"""Anomalies → episodes. Reading order: findings, phase_bands, common_cause, culprit, wording."""

from apps.diagnosis.detection.fusion.episodes import fuse
from apps.diagnosis.detection.fusion.rules import Rules

__all__ = ["Rules", "fuse"]
