"""Nodes that were left out around an incident, on its lane of changes."""

from collections.abc import Collection
from datetime import datetime

from django.utils.translation import gettext as _

from apps.fleet.exclusions.exclusion_values import ExclusionView
from apps.fleet.facade.exclusions import exclusions_of
from apps.incidents.projection.changes_around import MOST, broke_at, span_around
from apps.incidents.projection.header_values import IncidentHeader
from apps.tenancy.access import Actor
from apps.web.lanes.elements import Entry
from apps.web.nodes.node_words import kind_word


def node_changes(*, actor: Actor, header: IncidentHeader, now: datetime) -> list[Entry]:
    """Return when nodes of an incident were left out, as far as the reader may know, by time.

    Those that are blamed, that a session it hit left out, and that were left out for it.
    """
    incident = header.incident
    if incident.cluster is None or header.left_at is not None:
        return []
    hosts = {str(each["host"]) for each in header.culprits or () if each.get("host")}
    since, until = span_around(header, now=now)
    found = exclusions_of(
        actor=actor,
        cluster=incident.cluster.slug,
        since=since,
        until=until,
        now=now,
        known_hosts=hosts,
    )
    names = {each.session.name for each in header.attempts}
    told = [
        each
        for each in found
        if _concerns(each, hosts=hosts, sessions=names, incident=incident.public_id)
    ]
    at = broke_at(header)
    nearest = sorted(told, key=lambda each: (abs(each.starts_at - at), each.host))[:MOST]
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
