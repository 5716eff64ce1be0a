"""What the address of the page asks for: whose sessions, of which cluster, over which days."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from django.contrib import messages
from django.db.models import Q
from django.utils.translation import gettext as _

from apps.fleet.access import access_clusters
from apps.fleet.facade.sessions import list_sessions
from apps.reliability.facade.periods import MOST_DAYS
from apps.reliability.period.scopes import Audience
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.choices import SegmentLink
from apps.web.shell.address_filters import day_of, known, link

RANGES: Final = {"week": 7, "month": 30, "quarter": 91}
USUAL: Final = "week"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPeriod:
    """What is shown. An empty range says that the days were chosen one by one."""

    audience: Audience
    cluster: str  # slug; empty: all of the organization's own
    range: str
    first_day: date
    last_day: date

    def query(self, **changed: str) -> str:
        """Return the query of an address that asks for the same, but for what is changed."""
        asked = {"view": self.audience.value, "cluster": self.cluster}
        if self.range and not {"from", "until"} & changed.keys():
            asked["range"] = self.range
        else:
            asked |= {"from": self.first_day.isoformat(), "until": self.last_day.isoformat()}
        return link(**{name: value for name, value in (asked | changed).items() if value})

    @property
    def days_query(self) -> str:
        """Return the query that asks for the same days by their dates, whatever today is."""
        return self.query(
            **{"from": self.first_day.isoformat(), "until": self.last_day.isoformat()}
        )

    @property
    def api_query(self) -> str:
        """Return the query by which REST answers the same."""
        asked = {
            "first_day": self.first_day.isoformat(),
            "last_day": self.last_day.isoformat(),
            "view": self.audience.value,
            "cluster": self.cluster,
        }
        return link(**{name: value for name, value in asked.items() if value})


def asked_of(request: OrganizationRequest, *, now: datetime) -> AskedPeriod:
    """Return what an address asks for; of what it doesn't say the usual, said where it is wrong."""
    clusters = [each.slug for each in access_clusters(actor=request.actor)]
    audiences = [each.value for each in Audience] if clusters else [Audience.OWN.value]
    view = known(request, "view", audiences)
    cluster = known(request, "cluster", clusters)
    audience = Audience(view) if view else _usual(request, clusters)
    if audience is not Audience.OWN and not cluster:
        cluster = clusters[0]
    name, first_day, last_day = _days(request, now)
    return AskedPeriod(
        audience=audience,
        cluster=cluster,
        range=name,
        first_day=first_day,
        last_day=last_day,
    )


def _usual(request: OrganizationRequest, clusters: Sequence[str]) -> Audience:
    """Return one's own sessions; who has none, but a part in a cluster, is shown that."""
    own = list_sessions(actor=request.actor).filter(Q(organization=request.actor.organization))
    return Audience.CLUSTER if clusters and not own.exists() else Audience.OWN


def _days(request: OrganizationRequest, now: datetime) -> tuple[str, date, date]:
    today = now.astimezone(UTC).date()
    first, last = (day_of(request, each) for each in ("from", "until"))
    if first or last:
        last = last or today
        first = first or last - timedelta(days=RANGES[USUAL] - 1)
        if 0 <= (last - first).days < MOST_DAYS:
            return "", first, last
        text = _("From %(first)s until %(last)s is no span of 1 to %(most)s days.")
        told = {"first": first, "last": last, "most": MOST_DAYS}
        messages.warning(request, text % told)
    name = known(request, "range", RANGES) or USUAL
    return name, today - timedelta(days=RANGES[name] - 1), today


def range_links(asked: AskedPeriod) -> tuple[SegmentLink, ...]:
    """Return the usual ranges, up to today."""
    texts = {"week": _("Week"), "month": _("Month"), "quarter": _("Quarter")}
    plain = AskedPeriod(
        audience=asked.audience,
        cluster=asked.cluster,
        range=USUAL,
        first_day=asked.first_day,
        last_day=asked.last_day,
    )
    return tuple(
        SegmentLink(text=texts[name], query=plain.query(range=name), is_on=name == asked.range)
        for name in RANGES
    )


def audience_links(request: OrganizationRequest, asked: AskedPeriod) -> tuple[SegmentLink, ...]:
    """Return whose sessions may be counted: one's own, and each cluster's."""
    clusters = list(access_clusters(actor=request.actor))
    own = _("Ours")
    found = [_link(asked, own, Audience.OWN, "")]
    for cluster in clusters:
        found.append(_link(asked, cluster.name, Audience.CLUSTER, cluster.slug))
        joint = _("%(cluster)s, joint") % {"cluster": cluster.name}
        found.append(_link(asked, joint, Audience.JOINT, cluster.slug))
    return tuple(found)


def _link(asked: AskedPeriod, text: str, audience: Audience, cluster: str) -> SegmentLink:
    return SegmentLink(
        text=text,
        query=asked.query(view=audience.value, cluster=cluster),
        is_on=(audience, cluster) == (asked.audience, asked.cluster),
    )
