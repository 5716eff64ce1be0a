"""What the hypotheses are beside the verdict."""

from collections.abc import Sequence

from apps.diagnosis.model import Hypothesis, Missing, Verdict, VerdictStatus
from apps.diagnosis.reasoning.explanation import explain
from apps.diagnosis.reasoning.verdict import gate


def beside(
    *, verdict: Verdict, hypotheses: tuple[Hypothesis, ...], missing: Sequence[Missing]
) -> tuple[Hypothesis, ...]:
    """Return the hypotheses as they stand beside the verdict."""
    if verdict.status is VerdictStatus.UNKNOWN:
        return explain.with_open_question(hypotheses=hypotheses, missing=missing)
    if verdict.status is VerdictStatus.NO_FAILURE:
        return gate.beside_no_failure(hypotheses=hypotheses, verdict=verdict)
    return hypotheses
