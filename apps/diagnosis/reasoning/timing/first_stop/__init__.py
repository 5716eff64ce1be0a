"""Step 6: which ranks stopped first, and when the session began to fail.

Read `began` (when), `stopper` (who), and for that `voices` (who spoke) and `peers` (who is
named) and `struck` (whose process a kernel's fault ended).
"""

from apps.diagnosis.reasoning.timing.first_stop.failure_start import (
    failed_at,
    undated_wait,
    waited_until,
)
from apps.diagnosis.reasoning.timing.first_stop.peers import named_hosts
from apps.diagnosis.reasoning.timing.first_stop.rank_logs import hosts_of
from apps.diagnosis.reasoning.timing.first_stop.stopper import first_stopper, told

__all__ = [
    "failed_at",
    "first_stopper",
    "hosts_of",
    "named_hosts",
    "told",
    "undated_wait",
    "waited_until",
]
