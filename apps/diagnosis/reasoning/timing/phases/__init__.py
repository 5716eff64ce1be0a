"""Step 5: what the session was doing when it stopped, and how it ended.

Read `during`, `ended`, `failed`, `told_by`; `words` is the data, `signs` what they share.
"""

from apps.diagnosis.reasoning.timing.phases.ended import end_state
from apps.diagnosis.reasoning.timing.phases.ending_line import told_by
from apps.diagnosis.reasoning.timing.phases.failed import failed_before_end
from apps.diagnosis.reasoning.timing.phases.session_activity import last_step_at, phase
from apps.diagnosis.reasoning.timing.phases.signs import end_named
from apps.diagnosis.reasoning.timing.phases.words import STEPS

__all__ = [
    "STEPS",
    "end_named",
    "end_state",
    "failed_before_end",
    "last_step_at",
    "phase",
    "told_by",
]
