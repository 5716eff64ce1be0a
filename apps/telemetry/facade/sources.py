"""Metrics sources: an organization reads and changes its own. Needs the actor's scope."""

from collections.abc import Sequence
from datetime import datetime

from apps.fleet.models import Cluster
from apps.telemetry.metrics import coverage, source_access, source_settings
from apps.telemetry.metrics.coverage import SourceCoverage
from apps.telemetry.metrics.source_settings import SourceSettings
from apps.telemetry.values import SourceView, source_view
from apps.tenancy.access import Actor
from apps.tenancy.values import ValueList


def list_sources(*, actor: Actor, cluster: str | None = None) -> ValueList[SourceView]:
    """Return the sources of the actor's organization by name, of one cluster if named."""
    rows = source_access.access_sources(actor=actor, cluster=cluster)
    return ValueList(rows=rows, project=lambda found: [source_view(each) for each in found])


def open_source(*, actor: Actor, public_id: str) -> SourceView:
    """Return one of these sources; raise NotFound."""
    return source_view(source_access.access_source(actor=actor, public_id=public_id))


def add_source(
    *, actor: Actor, cluster: Cluster, wanted: SourceSettings, now: datetime
) -> SourceView:
    """Make a source of the actor's organization; raise BadSource."""
    made = source_settings.connect(actor=actor, cluster=cluster, wanted=wanted, now=now)
    return source_view(made)


def change_source(*, actor: Actor, public_id: str, wanted: SourceSettings) -> SourceView:
    """Change a source. Who gets the credential can't change without entering it again."""
    source = source_access.access_source(actor=actor, public_id=public_id)
    return source_view(source_settings.change(actor=actor, source=source, wanted=wanted))


def coverage_of(*, actor: Actor, sources: Sequence[SourceView]) -> SourceCoverage | None:
    """Return what sources can tell together; None where none of them was ever read."""
    ids = [source.id for source in sources]
    return coverage.told_by(organization_id=actor.organization.pk, source_ids=ids)
