"""Every state that was reported of an attempt: kept as it was said, once, the first and the last.

Late and doubled reports change nothing: what is kept is the same in whatever order they come.
"""

from typing import Final

from apps.fleet.authority.rules import SenderStanding
from apps.fleet.models import Attempt, AttemptState
from apps.fleet.sessions.report_merging import Reporter
from apps.fleet.sessions.session_reports import SessionReport

# Of one attempt and who told: as many of the first ones, and as many of the last. Nobody's states
# are in the way of another's.
MOST_OF_EACH_END: Final = 200
IN_ORDER: Final = ("at", "word", "member", "source", "result", "reason")


def keep_state(*, attempt: Attempt, report: SessionReport, reporter: Reporter) -> None:
    """Keep the state that a report tells of. Needs the owner's scope and the attempt's lock."""
    word = report.scheduler_state or (str(report.state) if report.state else "")
    if not word:
        return
    row, is_new = AttemptState.objects.get_or_create(
        organization_id=attempt.organization_id,
        attempt=attempt,
        source=reporter.slug,
        member=report.member,
        word=word,
        at=report.at,
        result=report.result,
        reason=report.reason,
        defaults={
            "session_id": attempt.session_id,
            "scheduler": report.scheduler,
            "standing": str(reporter.standing),
            "received_at": reporter.now,
        },
    )
    if is_new:
        _drop_middle(attempt, reporter.slug)
    elif row.standing != reporter.standing and reporter.standing is SenderStanding.ASSERTED:
        AttemptState.objects.filter(pk=row.pk).update(standing=str(reporter.standing))


def _drop_middle(attempt: Attempt, source: str) -> None:
    own = AttemptState.objects.for_organization(attempt.organization_id)
    rows = own.filter(attempt=attempt, source=source)
    surplus = rows.count() - 2 * MOST_OF_EACH_END
    if surplus > 0:
        middle = rows.order_by(*IN_ORDER).values_list("pk", flat=True)[MOST_OF_EACH_END:]
        rows.filter(pk__in=list(middle[:surplus])).delete()
