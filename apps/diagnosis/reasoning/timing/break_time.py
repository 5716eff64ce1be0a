"""Beside step 10: when it broke, which is before the session failed."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import Evidence, Hypothesis, Role, Stream, Verdict, VerdictStatus

# Evidence this heavy and this near tells when it broke.
STRONG, SHORTLY = 4.0, timedelta(minutes=2)
# Beside such evidence this says it too; lighter pieces are hints.
TELLING = 1.0
FAILURES = frozenset({Role.INITIATING, Role.CONFIRMATION})
NAMED = frozenset({VerdictStatus.LIKELY, VerdictStatus.POSSIBLE})


def began_to_fail(
    *,
    verdict: Verdict,
    hypotheses: Sequence[Hypothesis],
    failed_at: datetime | None,
    waited_until: datetime | None,
) -> datetime | None:
    """Return when the session began to fail, no later than its own first word of what is blamed,
    and no earlier than that broke where watchdogs, which told of it at `waited_until`, only say
    that nothing had come since `failed_at`.
    """
    if failed_at is None or verdict.status not in NAMED:
        return failed_at
    told = [one for one in hypotheses[0].supporting if one.at and one.strength >= TELLING]
    own = [one.at for one in told if one.at and _is_own_failure(one)]
    first = min((at for at in own if failed_at - SHORTLY <= at), default=failed_at)
    if first < failed_at or waited_until is None:
        return min(first, failed_at)
    strong = [one.at for one in told if one.at and one.strength >= STRONG]
    if any(at <= failed_at for at in strong) or not any(at <= waited_until for at in strong):
        return failed_at
    return min(one.at for one in told if one.at and failed_at <= one.at)


def _is_own_failure(one: Evidence) -> bool:
    """Say whether the session itself tells of a failure, which is one from then on."""
    event = one.event
    if event is None or event.role not in FAILURES:
        return False
    return (event.line.origin.stream or event.line.stream) is Stream.SESSION


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
    if verdict.status not in NAMED:
        return failed_at
    stamps = [one.at for one in hypotheses[0].supporting if one.at and one.strength >= STRONG]
    if failed_at is None:
        near = (at for at in stamps if silent_at and abs(at - silent_at) <= SHORTLY)
        return min(near, default=None)
    return min([failed_at, *(at for at in stamps if failed_at - at <= SHORTLY)])
