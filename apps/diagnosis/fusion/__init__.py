"""Anomalies → episodes. Reading order: findings, bands, shared, culprit, wording, fuse."""

from apps.diagnosis.fusion.episodes import fuse
from apps.diagnosis.fusion.rules import Rules

__all__ = ["Rules", "fuse"]
