"""What the page of sources shows one reader: everything that flows in, and how to add to it."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings

from apps.fleet.access import access_clusters
from apps.incidents.facade.fleet import measured_by_others
from apps.telemetry.facade.logs import list_set_aside
from apps.telemetry.facade.sources import list_sources
from apps.telemetry.samples.window.window_status import standings_of
from apps.telemetry.status.intake import intakes_of
from apps.tenancy.access import Actor, Right
from apps.tenancy.people.memberships import admins_of
from apps.tenancy.tokens import access_tokens
from apps.web.sources import metrics_coverage
from apps.web.sources.arrivals import came_before
from apps.web.sources.folds import folds
from apps.web.sources.measured_elsewhere import rows_elsewhere
from apps.web.sources.page import SourcesPage
from apps.web.sources.pushed_metrics import metrics_row
from apps.web.sources.rows import push_row, unread_body
from apps.web.tokens.page import NewToken, TokenForm
from apps.web.tokens.rows import commands, token_form, token_row

UNREAD_SHOWN = 10  # REST has all of them


def sources_page(
    *,
    actor: Actor,
    now: datetime,
    form: TokenForm | None = None,
    made: NewToken | None = None,
    bound: Sequence[str] = (),
    opened: str = "",
) -> SourcesPage:
    """Return the page; tokens and their form only for those who manage them. Needs the scope.

    `opened` is the fold that the address names.
    """
    clusters = list(access_clusters(actor=actor))
    slugs = tuple(cluster.slug for cluster in clusters)
    can_manage = Right.MANAGE in actor.rights
    names = {cluster.pk: cluster.name for cluster in clusters}
    tokens = access_tokens(actor=actor) if can_manage else []
    sources = list(list_sources(actor=actor))
    standings = standings_of(actor=actor, sources=sources)
    intakes = intakes_of(actor=actor)
    pushes = tuple(push_row(intake=intake, now=now) for intake in intakes)
    return SourcesPage(
        pushes=pushes,
        folds=folds(rows=pushes, opened=opened),
        pulls=tuple(metrics_row(source=source, standings=standings, now=now) for source in sources),
        commands=commands(
            base=settings.PORTAL_BASE_URL, clusters=slugs, made=made, bound=tuple(bound)
        ),
        can_manage=can_manage,
        admins=admin_names(actor=actor),
        clusters=slugs,
        arrived=came_before(intakes=intakes, since=now, now=now),
        tokens=tuple(token_row(token=token, clusters=names, now=now) for token in tokens),
        form=(form or token_form(clusters=clusters)) if can_manage else None,
        made=made,
        told=metrics_coverage.of_clusters(actor=actor, sources=sources, now=now),
        elsewhere=rows_elsewhere(
            measured_by_others(actor=actor, measured={each.cluster_id for each in sources}, now=now)
        ),
        unread=tuple(map(unread_body, list_set_aside(actor=actor)[:UNREAD_SHOWN])),
    )


def admin_names(*, actor: Actor) -> str:
    """Return whom to ask for what only an admin may do."""
    people = admins_of(actor=actor)
    return ", ".join(person.get_full_name() or person.get_username() for person in people)
