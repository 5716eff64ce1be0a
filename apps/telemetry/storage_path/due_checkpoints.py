"""Sessions whose saves and loads have to be worked out anew, since their logs told more."""

from collections.abc import Iterable
from datetime import datetime

from apps.telemetry.models import LoggedCheckpoints, LogStream
from apps.tenancy.database.bulk_rows import insert_or_update_rows


def mark_due(*, streams: Iterable[LogStream], now: datetime) -> None:
    """Say of these logs' sessions that points came. Needs the owner's scope."""
    sessions = {(each.organization_id, each.session_id) for each in streams if each.session_id}
    insert_or_update_rows(
        rows=[
            LoggedCheckpoints(organization_id=owner, session_id=session, due_at=now)
            for owner, session in sorted(sessions)
        ],
        key=["organization", "session"],
        fields=["due_at"],
    )
