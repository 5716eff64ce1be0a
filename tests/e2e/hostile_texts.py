"""Texts that would run in a reader's page, put wherever a party of a cluster can write."""

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from apps.fleet.models import Cluster, Session
from apps.incidents.annotations import annotate
from apps.incidents.correlation.incident_rows.incident_writer import rewrite
from apps.incidents.entries import Audience, Note
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.search.models import SavedView
from apps.telemetry.models import LogStream, Source
from apps.tenancy.credentials import issue
from apps.tenancy.models import MemberRole, Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.changes import changed
from tests.cast.failing_nodes import left_out
from tests.cast.incidents import actor, attempt_of, conclusion, piece, stop_of, telling
from tests.contracts.world import World

# Whatever of these is taken for markup leaves an element, a dialog or a global behind.
TAG: Final = "<img src=x data-injected onerror=alert(1)>"
BREAKS_OUT: Final = "\"'></script></textarea></title><b data-injected autofocus onfocus=alert(1)>"
LINK: Final = "[here](javascript:alert(1)) <javascript:alert(1)> {{7*7}} {% debug %} ${alert(1)}"
SHORT: Final = "\"><b data-injected>'"
HOSTILE: Final = f"{TAG} {BREAKS_OUT} {LINK}"
INJECTED: Final = """() => [
  ...[...document.querySelectorAll("[data-injected]")].map((each) => each.outerHTML),
  ...[...document.querySelectorAll("[href], [src], [action]")].filter((each) =>
    /^\\s*javascript:/i.test(each.getAttribute("href") ?? each.getAttribute("src")
      ?? each.getAttribute("action"))).map((each) => each.outerHTML),
]"""
STORED: Final[tuple[tuple[Any, dict[str, object]], ...]] = (
    (Session, {"name": HOSTILE[:180]}),
    (Source, {"name": TAG}),
    (LogStream, {"labels": {SHORT: HOSTILE}}),
    (SavedView, {"name": TAG, "query": f"q={SHORT}"}),
)


def write_hostile(world: World) -> None:
    """Let each party fill what it can fill with what would run."""
    cast, now = world.cast, make.AT
    stop_of(cast, attempt_of(cast, cast.tenant, hosts=[TAG.lower(), "gpu001"]))
    for who in (cast.tenant, cast.operator):
        _write_words(world, who)
    _write_evidence(world)
    left_out(cast, "gpu001", now, hours=None, reason=HOSTILE[:200])
    words = {"title": HOSTILE[:200], "before": TAG, "after": SHORT, "reference": TAG, "by": TAG}
    url = f"https://example.com/{SHORT}"
    for who in (cast.tenant, cast.operator):
        changed(who, cast.cluster, url=url, **words)
    with organization_scope(cast.tenant.pk):
        issue(organization=cast.tenant, name=TAG, scopes=frozenset({TokenScope.INGEST}), now=now)
    with organization_scope(*cast.ids):
        for model, fields in STORED:
            rows = list(model.objects.values_list("pk", flat=True))
            assert rows, model
            for pk in rows:  # names are told apart
                own = {name: f"{pk} {fields[name]}" for name in {"name"} & fields.keys()}
                model.objects.filter(pk=pk).update(**{**fields, **own})
    Organization.objects.filter(pk__in=cast.ids).update(name=TAG)
    Cluster.objects.filter(pk=cast.cluster.pk).update(name=TAG)


def _write_words(world: World, who: Organization) -> None:
    cast = world.cast
    to = cast.operator if who == cast.tenant else cast.tenant
    with organization_scope(who.pk):
        writer = actor(who, MemberRole.RESPONDER)
        incident = access_incident(actor=writer, public_id=world.ids["incidents"])
        annotate(
            actor=writer,
            incident=incident,
            note=Note(text=HOSTILE, lane="gpu", starts_at=make.AT),
            audience=Audience(organizations=(to.slug,)),
            now=make.AT,
        )


def _write_evidence(world: World) -> None:
    """Let the logs of both sides say it: the diagnosis quotes them as evidence and moments."""
    cast = world.cast
    sides = (cast.tenant, cast.operator)
    told = replace(
        conclusion(cast),
        pieces=tuple(piece(each, HOSTILE, 3.0) for each in sides),
        tellings=tuple(telling(each, HOSTILE) for each in sides),
    )
    with organization_scope(*cast.ids):
        incident = Incident.objects.get(public_id=world.ids["incidents"])
        assert incident.attempt is not None
        rewrite(
            incident=incident,
            attempt=incident.attempt,
            conclusion=told,
            newest_evidence_at=None,
            now=make.AT + timedelta(minutes=2),
        )
