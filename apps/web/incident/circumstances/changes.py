"""Nodes that were left out around an incident, on its lane of changes."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _

from apps.fleet.exclusions.exclusion_values import ExclusionView
from apps.fleet.facade.exclusions import exclusions_of
from apps.incidents.projection.header_values import IncidentHeader
from apps.tenancy.access import Actor
from apps.web.lanes.elements import Entry
from apps.web.nodes.node_words import kind_word

# As far back as changes are looked for before a failure, and a day for what was done about it.
BEFORE: Final = timedelta(hours=72)
AFTER: Final = timedelta(hours=24)
MOST: Final = 30


def node_changes(*, actor: Actor, header: IncidentHeader, now: datetime) -> list[Entry]:
    """Return when nodes of an incident were left out, as far as the reader may know, by time.

    Those that are blamed, that a session it hit left out, and that were left out for it.
    """
    incident = header.incident
    broke_at = incident.started_at or incident.detected_at
    if incident.cluster is None or header.left_at is not None:
        return []
    hosts = {str(each["host"]) for each in header.culprits or () if each.get("host")}
    found = exclusions_of(
        actor=actor,
        cluster=incident.cluster.slug,
        since=broke_at - BEFORE,
        until=min(broke_at + AFTER, now),
        now=now,
        known_hosts=hosts,
    )
    names = {each.session.name for each in header.attempts}
    told = [
        each
        for each in found
        if _concerns(each, hosts=hosts, sessions=names, incident=incident.public_id)
    ]
    nearest = sorted(told, key=lambda each: (abs(each.starts_at - broke_at), each.host))[:MOST]
    rows = sorted(nearest, key=lambda each: (each.starts_at, each.host, each.kind))
    return [_entry(each, number=number, now=now) for number, each in enumerate(rows)]


def _concerns(
    each: ExclusionView, *, hosts: Collection[str], sessions: Collection[str], incident: str
) -> bool:
    is_own = bool(each.session) and each.session in sessions
    return each.host in hosts or is_own or bool(each.incident and each.incident == incident)


def _entry(each: ExclusionView, *, number: int, now: datetime) -> Entry:
    ends_at = each.ends_at or (now if each.is_in_force(now) else None)
    return Entry(
        key=f"excluded-{number}",
        lane="changes",
        layer="quiet",
        role="context",
        title=_("%(host)s: %(how)s") % {"host": each.host, "how": kind_word(each.kind)},
        detail=_detail(each),
        owner=each.teller.name if each.teller else _("another party"),
        initial=each.teller.mark if each.teller else "",
        at=each.starts_at,
        ends_at=None if each.is_of_job else ends_at,
        host=each.host,
        stays_in_view=True,
    )


def _detail(each: ExclusionView) -> str:
    if each.is_brief:
        return _("by whom and why is hidden by policy")
    claimed = _("claimed") if each.is_claimed else ""
    return ", ".join(filter(None, (each.session, each.reason, each.by, claimed)))
