"""Step 8: causes in the order of their probability, each piece of evidence with its weight.

Read `weigh` (what an observation weighs), `combine` (one vote a fact), `hypotheses` (their order).
"""

from apps.diagnosis.reasoning.rank.hypotheses import rank
from apps.diagnosis.reasoning.rank.weigh import HISTORY, Context, listed_signs, signs

__all__ = ["HISTORY", "Context", "listed_signs", "rank", "signs"]
