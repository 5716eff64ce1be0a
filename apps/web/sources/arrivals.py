"""Whether lines have come: since a page was opened, or before."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import ngettext

from apps.telemetry.status.intake import Arrival, Intake
from apps.web import words
from apps.web.sources.page import ArrivalCount
from apps.web.sources.rows import STALE_AFTER


def came_since(*, arrival: Arrival, since: datetime, now: datetime) -> ArrivalCount:
    """Return the lines that came since a page was opened."""
    text = ngettext(
        "%(n)s line arrived since you opened this page, the newest %(age)s s ago.",
        "%(n)s lines arrived since you opened this page, the newest %(age)s s ago.",
        arrival.line_count,
    )
    age = (now - (arrival.newest_at or now)).total_seconds()
    return ArrivalCount(
        since=since.isoformat(),
        text=text % {"n": f"{arrival.line_count:,}", "age": max(int(age), 0)},
        batch=arrival.batch,
    )


def came_before(*, intakes: Sequence[Intake], since: datetime, now: datetime) -> ArrivalCount:
    """Return the lines that came before a page was opened; of none there are no words."""
    count = sum(each.line_count for each in intakes)
    newest = max((each.last_received_at for each in intakes if each.last_received_at), default=None)
    if not count or newest is None:
        return ArrivalCount(since=since.isoformat())
    text = ngettext(
        "%(n)s line has come, %(age)s ago. What comes from now on is counted here.",
        "%(n)s lines have come, the newest %(age)s ago. What comes from now on is counted here.",
        count,
    )
    age = words.duration(max((now - newest).total_seconds(), 0))
    return ArrivalCount(
        since=since.isoformat(),
        text=text % {"n": f"{count:,}", "age": age},
        state="stale" if now - newest > STALE_AFTER else "fresh",
    )
