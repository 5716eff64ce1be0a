"""Who pushes: the credential of a push, and which of its clusters the push is of."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from apps.api.receivers.requests.errors import BodyWithheld, ClusterMissing, NoToken, UnknownCluster
from apps.api.v1.base_view import presented_token
from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.fleet.access import clusters_of_token
from apps.fleet.models import Cluster
from apps.telemetry.formats.lines.complaints import TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.limits.storage_limits import require_disk
from apps.tenancy.access import actor_for_token
from apps.tenancy.credentials import verify
from apps.tenancy.models import Organization, TokenScope
from apps.tenancy.refused_body import withheld_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """Who pushes, when, and where the credential may write."""

    organization: Organization
    clusters: tuple[int, ...]
    at: datetime
    label: str = ""  # the token, as the audit record names it


def authenticate(request: HttpRequest) -> Push:
    """Return who pushes; raise what `errors.REFUSALS` answers."""
    withheld = withheld_of(request=request)
    if withheld and not withheld.is_open:
        raise BodyWithheld(withheld)
    told = whole_number(request.META.get("CONTENT_LENGTH") or "0", most=MOST_ROWS)
    if told is None or told > settings.PORTAL_MAX_BODY_BYTES:
        raise TooBig(f"the body is larger than {settings.PORTAL_MAX_BODY_BYTES} bytes")
    now = timezone.now()
    presented = presented_token(request.headers.get("Authorization", ""))
    if presented is None:
        raise NoToken
    token = verify(presented=presented, scope=TokenScope.INGEST, now=now)
    organization = actor_for_token(token=token).organization
    request.META["portal.organization"] = organization.slug  # for the line of the log
    require_disk()
    if withheld:
        raise BodyWithheld(withheld)  # refused at the edge, and good by now
    return Push(
        organization=organization,
        clusters=tuple(token.clusters),
        at=now,
        label=f"token:{token.prefix}",
    )


def cluster_of(*, push: Push, named: str) -> Cluster | None:
    """Return the cluster a push belongs to: the named one, or the only one the token may write to.

    None: the token is bound to no cluster. Raises UnknownCluster, ClusterMissing.
    """
    own = clusters_of_token(organization_id=push.organization.pk, ids=push.clusters)
    if push.clusters and not own:
        raise UnknownCluster  # it left them all: what it goes on sending belongs nowhere
    if named:
        found = next((cluster for cluster in own if cluster.slug == named), None)
        if found is None:
            raise UnknownCluster(own, named=named)
        return found
    if len(push.clusters) > 1:
        raise ClusterMissing
    return own[0] if own else None


def by_cluster(
    *, push: Push, pieces: Iterable[LinePiece], named: str, refuse: Callable[[LinePiece], None]
) -> dict[Cluster | None, list[LinePiece]]:
    """Return the pieces by cluster; those of one that is not this token's are handed to `refuse`.

    Where no others are there, the refusal is the answer. Looks once for each name.
    """
    by_name: defaultdict[str, list[LinePiece]] = defaultdict(list)
    for piece in pieces:
        by_name[named or piece.labels.get("cluster", "")].append(piece)
    groups: defaultdict[Cluster | None, list[LinePiece]] = defaultdict(list)
    refused: Exception | None = None
    for name, found in by_name.items():
        try:
            groups[cluster_of(push=push, named=name)] += found
        except (UnknownCluster, ClusterMissing) as error:
            refused = error
            for piece in found:
                refuse(piece)
    if refused is not None and not groups:
        raise refused
    return groups
