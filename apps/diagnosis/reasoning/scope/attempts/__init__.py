"""Beside the steps: several attempts in one input are told apart before anything is concluded.

Evidence of one attempt is never joined to another. Read `parting`, for that `cuts`, `clock` and
`marks`, then `answering`.
"""

from apps.diagnosis.reasoning.scope.attempts.answering import answer, told
from apps.diagnosis.reasoning.scope.attempts.cuts import label_of
from apps.diagnosis.reasoning.scope.attempts.parting import AttemptReadings, split, within

__all__ = ["AttemptReadings", "answer", "label_of", "split", "told", "within"]
