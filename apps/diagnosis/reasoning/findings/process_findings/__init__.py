"""Facts that processes tell by how many of them raised or left, and with what.

Read `exceptions`, `exits`, `last_words`, and for the last `subjects`.
"""

from apps.diagnosis.reasoning.findings.process_findings.together import derive

__all__ = ["derive"]
