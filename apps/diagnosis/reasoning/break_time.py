"""Beside step 10: when it broke, which is before the session failed."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import Hypothesis, Verdict, VerdictStatus

# Evidence this heavy and this near tells when it broke.
STRONG, SHORTLY = 4.0, timedelta(minutes=2)


def broke_at(
    *,
    verdict: Verdict,
    hypotheses: Sequence[Hypothesis],
    failed_at: datetime | None,
    silent_at: datetime | None = None,
) -> datetime | None:
    """Return when it broke: the first strong evidence, where it lies shortly before the failure.

    Of a session whose words of its failure carry no time it lies around its last one that does.
    """
    if verdict.status not in {VerdictStatus.LIKELY, VerdictStatus.POSSIBLE}:
        return failed_at
    stamps = [one.at for one in hypotheses[0].supporting if one.at and one.strength >= STRONG]
    if failed_at is None:
        near = (at for at in stamps if silent_at and abs(at - silent_at) <= SHORTLY)
        return min(near, default=None)
    return min([failed_at, *(at for at in stamps if failed_at - at <= SHORTLY)])
