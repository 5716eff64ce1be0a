"""Between rank and explain: which parts a hypothesis blames, as narrowly as its evidence allows."""

from apps.diagnosis.reasoning.verdict.culprits.blame import culprits

__all__ = ["culprits"]
