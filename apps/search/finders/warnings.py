"""The organization's own warnings and signals, by part and by what they speak for."""

from apps.incidents.words import culprit, spoken
from apps.search.finders.causes import named_causes
from apps.search.values import Hit, HitKind, SearchQuery
from apps.telemetry.facade.search import find_warnings
from apps.telemetry.values import EpisodeView
from apps.tenancy.access import Actor


def find(*, actor: Actor, query: SearchQuery, limit: int) -> tuple[Hit, ...]:
    """Return them, the newest first."""
    by_cause = query.prefix in {"", "cause", "warning"}
    found = find_warnings(
        actor=actor,
        text=query.text if query.prefix in {"", "warning"} else "",
        host=query.text if query.prefix == "host" else "",
        causes=named_causes(query) if by_cause else (),
        limit=limit,
    )
    return tuple(map(_hit, found))


def _hit(episode: EpisodeView) -> Hit:
    entity = episode.entity
    device = {**entity, "gpu": {key: entity.get(key) for key in ("index", "uuid", "pci")}}
    return Hit(
        kind=HitKind.WARNING,
        id=episode.public_id,
        title=culprit(device),
        detail=spoken(episode.causes[0]).name if episode.causes else "",
        cluster=episode.cluster.slug,
        cluster_name=episode.cluster.name,
        host=episode.host,
        layer=episode.layer,
        at=episode.raised_at,
        is_of_signals=not episode.is_page,
    )
