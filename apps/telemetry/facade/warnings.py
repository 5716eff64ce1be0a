"""What the metrics of an organization told of early. Needs the actor's scope."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from apps.telemetry.metrics import warning_access
from apps.telemetry.values import EpisodeView, episode_view
from apps.tenancy.access import Actor
from apps.tenancy.values import ValueList


def list_episodes(
    *,
    actor: Actor,
    cluster: str | None = None,
    layer: str | None = None,
    is_page: bool | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> ValueList[EpisodeView]:
    """Return the episodes of the actor's organization, withdrawn ones too, the newest first."""
    rows = warning_access.access_episodes(
        actor=actor, cluster=cluster, layer=layer, is_page=is_page, since=since, until=until
    )
    return ValueList(rows=rows, project=lambda found: [episode_view(each) for each in found])


def open_episode(*, actor: Actor, public_id: str) -> EpisodeView:
    """Return one of these episodes; raise NotFound."""
    return episode_view(warning_access.access_episode(actor=actor, public_id=public_id))


def warnings_before(
    *, actor: Actor, cluster_id: int, parts: Iterable[Mapping[str, Any]], failed_at: datetime
) -> tuple[EpisodeView, ...]:
    """Return the warnings on parts (or their hosts) that were raised before an instant, oldest
    first; `parts` are culprits in the published form.
    """
    found = warning_access.warnings_before(
        actor=actor, cluster_id=cluster_id, parts=parts, failed_at=failed_at
    )
    return tuple(map(episode_view, found))
