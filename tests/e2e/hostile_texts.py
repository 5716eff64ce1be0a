"""Texts that would run in a reader's page, put wherever a party of a cluster can write."""

from typing import Any, Final

from apps.fleet.models import Cluster, Session
from apps.incidents.annotations import annotate
from apps.incidents.entries import Audience, Note
from apps.incidents.models import EvidenceItem, TimelineEntry
from apps.incidents.projection.access import access_incident
from apps.search.models import SavedView
from apps.telemetry.models import LogStream, Source
from apps.tenancy.credentials import issue
from apps.tenancy.models import MemberRole, Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.failing_nodes import left_out
from tests.cast.incidents import actor, attempt_of, stop_of
from tests.cast.make import text_fact
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
    (Session, {"name": HOSTILE[:200]}),
    (Source, {"name": TAG}),
    (LogStream, {"labels": {SHORT: HOSTILE}}),
    (SavedView, {"name": TAG, "query": f"q={SHORT}"}),
    (EvidenceItem, {"statement": text_fact(HOSTILE), "text": HOSTILE, "source": TAG}),
    (TimelineEntry, {"statement": text_fact(HOSTILE)}),
)


def write_hostile(world: World) -> None:
    """Let each party fill what it can fill with what would run."""
    cast, now = world.cast, make.AT
    stop_of(cast, attempt_of(cast, cast.tenant, hosts=[TAG.lower(), "gpu001"]))
    for who in (cast.tenant, cast.operator):
        _write_words(world, who)
    left_out(cast, "gpu001", now, hours=None, reason=HOSTILE[:200])
    with organization_scope(cast.tenant.pk):
        issue(organization=cast.tenant, name=TAG, scopes=frozenset({TokenScope.INGEST}), now=now)
    with organization_scope(*cast.ids):
        for model, fields in STORED:
            assert model.objects.update(**fields), model
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
