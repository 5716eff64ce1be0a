"""Facts that kernel lines tell only together.

Read `gpu_faults` (how they spread), `bus_errors` and `ports` (what became of them), `driver`.
"""

from apps.diagnosis.reasoning.findings.kernel_findings.bus_errors import Place
from apps.diagnosis.reasoning.findings.kernel_findings.together import derive

__all__ = ["Place", "derive"]
