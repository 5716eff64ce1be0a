"""What the address asks for: which days, which cluster, which outcome, and when it changed."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.fleet.access import access_clusters, parts_in
from apps.fleet.models import ParticipationRole
from apps.reliability.facade.periods import MOST_DAYS
from apps.reliability.facade.retry_chains import RUNS
from apps.tenancy.access import Actor
from apps.training.retries.chains import ChainOutcome
from apps.web.shell.address_filters import day_of, known

DAYS_SHOWN: Final = timedelta(days=30)
OUTCOMES: Final = ("", *ChainOutcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRetries:
    """What is to be shown. Days are whole days of UTC, both of them in it."""

    first_day: date
    last_day: date
    cluster: str  # empty: all of the organization's own
    outcome: str
    changed_at: datetime | None
    clusters: tuple[tuple[str, str], ...]


def asked_retries(request: HttpRequest, *, actor: Actor, today: date) -> AskedRetries:
    """Return what the address asks for; what is no day or no cluster is said and left out."""
    clusters, usual = _clusters(actor)
    slugs = [slug for slug, _name in clusters]
    cluster = known(request, "cluster", ("", *slugs)) if "cluster" in request.GET else usual
    last = day_of(request, "last_day") or today
    first = day_of(request, "first_day") or last - DAYS_SHOWN
    if not timedelta(0) <= last - first < timedelta(days=MOST_DAYS):
        text = _("A time has 1 to %(n)s days, the last not before the first: 30 days are shown.")
        messages.warning(request, text % {"n": MOST_DAYS})
        first = last - DAYS_SHOWN
    changed = day_of(request, "changed")
    return AskedRetries(
        first_day=first,
        last_day=last,
        cluster=cluster,
        outcome=known(request, "outcome", OUTCOMES),
        changed_at=datetime.combine(changed, time(), tzinfo=UTC) if changed else None,
        clusters=tuple(clusters),
    )


def _clusters(actor: Actor) -> tuple[list[tuple[str, str]], str]:
    """Return the clusters (slug, name), and which is shown where the address names none.

    Who runs a cluster and trains nothing has no sessions of its own.
    """
    runs, trains, found = list[str](), False, list[tuple[str, str]]()
    for each in access_clusters(actor=actor):
        parts = {row.part for row in parts_in(actor=actor, cluster=each)}
        found.append((each.slug, each.name))
        trains = trains or ParticipationRole.TENANT in parts
        if parts & RUNS:
            runs.append(each.slug)
    return found, "" if trains or not runs else runs[0]
