"""Step 8: causes in the order of their probability, each piece of evidence with its weight.

Read `weigh` (what an observation weighs; by `signs` and `placed`), `combine` (one vote a fact),
`hypotheses` (their order).
"""

from apps.diagnosis.reasoning.verdict.rank.hypotheses import rank
from apps.diagnosis.reasoning.verdict.rank.pieces import Context
from apps.diagnosis.reasoning.verdict.rank.signs import listed_signs, signs
from apps.diagnosis.reasoning.verdict.rank.weigh import HISTORY

__all__ = ["HISTORY", "Context", "listed_signs", "rank", "signs"]
