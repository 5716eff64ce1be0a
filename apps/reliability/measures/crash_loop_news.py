"""A session that was measured: is its job in a crash loop, and was that told?"""

from datetime import datetime

from apps.fleet.models import Session
from apps.notifications.models import Notification
from apps.notifications.occasions.crash_loops import CrashLoopNews, tell_crash_loop
from apps.reliability.sessions.job_runs import lineage_of
from apps.training.retries.crash_loops import crash_loop


def tell_loop_of(*, session: Session, now: datetime) -> list[Notification]:
    """Tell the session's tenant of a loop that its job is in, once. Needs its scope."""
    loop = crash_loop(lineage_of(session=session, now=now), now=now)
    if loop is None or loop.attempt.ends_at is None:
        return []
    news = CrashLoopNews(
        session=loop.attempt.session,
        name=session.job or session.name,
        attempt=loop.attempt.number or loop.attempt_number,
        retries=loop.retries,
        gpu_hours=loop.gpu_hours,
        ended_at=loop.attempt.ends_at,
        cluster_id=session.cluster_id,
        is_simulated=session.is_simulated,
    )
    return tell_crash_loop(organization=session.organization, news=news, now=now)
