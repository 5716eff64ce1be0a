"""Beside the steps: several attempts in one input are told apart before anything is concluded.

Evidence of one attempt is never joined to another. Read `parting`, for that `cuts`, `clock` and
`marks`, then `answering`.
"""

from apps.diagnosis.reasoning.scope.attempts.answered_attempt import answer, told
from apps.diagnosis.reasoning.scope.attempts.attempt_readings import AttemptReadings, split, within
from apps.diagnosis.reasoning.scope.attempts.cuts import label_of

__all__ = ["AttemptReadings", "answer", "label_of", "split", "told", "within"]
