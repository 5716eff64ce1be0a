"""Beside step 7: workers that failed after the first one are its consequences."""

from collections.abc import Sequence, Set
from dataclasses import replace

from apps.diagnosis.failure_tables import exit_rank
from apps.diagnosis.model import Mark, Observation, statement
from apps.diagnosis.signatures.marks import marked

ROWS = marked(Mark.EXIT_ROW, Mark.SIGNAL_ROW)
BECAUSE = statement("later-than-another-worker")


def left_out(*, observations: Sequence[Observation], later: Set[int]) -> list[Observation]:
    """Return all observations; how the `later` ranks left is no evidence of what broke."""
    return [
        replace(one, standing="late", because=BECAUSE) if _is_of(one, later) else one
        for one in observations
    ]


def _is_of(one: Observation, later: Set[int]) -> bool:
    return one.sign in ROWS and bool(one.events) and {exit_rank(e) for e in one.events} <= later
