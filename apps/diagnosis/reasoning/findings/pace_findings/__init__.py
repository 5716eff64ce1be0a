"""Facts that step times tell: a session that became slower, a member that is slower than others."""

from apps.diagnosis.reasoning.findings.pace_findings.together import derive

__all__ = ["derive"]
