"""Facts that kernel lines tell only together.

Read `gpu_faults` (how they spread), `bus_errors` and `ports` (what became of them), `driver`.
"""

from apps.diagnosis.reasoning.findings.kernel_findings.bus_errors import SuspectedParts
from apps.diagnosis.reasoning.findings.kernel_findings.together import derive

__all__ = ["SuspectedParts", "derive"]
