"""The form of a token: what was chosen becomes a wish, what is wrong becomes a sentence."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.http import QueryDict
from django.utils.translation import gettext as _

from apps.fleet.access import access_cluster, access_clusters
from apps.fleet.models import Cluster
from apps.tenancy.access import Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.credentials import IssuedToken
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.models import TokenScope
from apps.tenancy.tokens import (
    BadToken,
    ScopesMissing,
    TokenNameTaken,
    TokenWish,
    make_token,
    revoke_token,
)
from apps.web.tokens.page import TokenForm
from apps.web.tokens.rows import DAYS, token_form


def make(request: OrganizationRequest, *, now: datetime) -> tuple[IssuedToken, tuple[str, ...]]:
    """Make the token that was asked for; return it and its clusters. Raise BadToken, NotFound."""
    request.actor.require(Right.MANAGE)
    slugs = request.POST.getlist("cluster")
    clusters = [access_cluster(actor=request.actor, slug=slug) for slug in slugs]
    wish = _wish(request.POST, clusters=clusters)
    issued = make_token(actor=request.actor, wish=wish, now=now)
    record_act(
        actor=request.actor,
        action="token.issued",
        subject=issued.token.prefix,
        request=request,
        now=now,
    )
    return issued, tuple(cluster.slug for cluster in clusters)


def end(request: OrganizationRequest, *, prefix: str, now: datetime) -> bool:
    """End a token at once and say whether it was alive; raise NotFound."""
    was_alive = revoke_token(actor=request.actor, prefix=prefix, now=now)
    if was_alive:
        record_act(
            actor=request.actor, action="token.revoked", subject=prefix, request=request, now=now
        )
    return was_alive


def refused(request: OrganizationRequest, *, error: BadToken) -> TokenForm:
    """Return the form as it was filled in, with what is wrong."""
    problem = _("Give it a name of at most 80 characters: the machine or job that will use it.")
    if isinstance(error, TokenNameTaken):
        problem = _("There is or was a token of this name. Choose another one.")
    if isinstance(error, ScopesMissing):
        problem = _("Say what it may do: send data, read, or annotate and act.")
    clusters = list(access_clusters(actor=request.actor))
    return token_form(clusters=clusters, given=dict(request.POST.lists()), problem=problem)


def _wish(post: QueryDict, *, clusters: Sequence[Cluster]) -> TokenWish:
    days = post.get("days", "")
    return TokenWish(
        name=post.get("name", ""),
        scopes=frozenset(
            TokenScope(scope) for scope in post.getlist("scope") if scope in TokenScope.values
        ),
        clusters=tuple(cluster.pk for cluster in clusters),
        lasts=timedelta(days=int(days)) if days and days in DAYS else None,
    )
