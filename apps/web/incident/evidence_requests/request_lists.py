"""All requests of an organization: those that others made of it, and its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from apps.incidents.facade.evidence_requests import list_requests
from apps.tenancy.access import Actor
from apps.web.incident.evidence_requests.page import RequestRow
from apps.web.incident.evidence_requests.request_rows import request_row

SHOWN_AT_MOST: Final = 100  # the newest; REST has all


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestList:
    """One of the two lists."""

    title: str
    rows: tuple[RequestRow, ...]


def request_lists(*, actor: Actor, zone: ZoneInfo | None, now: datetime) -> tuple[RequestList, ...]:
    """Return what is asked of the actor's organization and what it asks, what waits first."""
    views = list(list_requests(actor=actor, now=now)[:SHOWN_AT_MOST])
    sides = ((_("Asked of you"), False), (_("Asked by you"), True))
    lists = (
        RequestList(
            title=title,
            rows=_in_order(
                [request_row(v, zone=zone, now=now) for v in views if v.is_asker is is_asker]
            ),
        )
        for title, is_asker in sides
    )
    return tuple(each for each in lists if each.rows)


def _in_order(rows: Sequence[RequestRow]) -> tuple[RequestRow, ...]:
    return tuple(sorted(rows, key=lambda row: not row.is_waiting))
