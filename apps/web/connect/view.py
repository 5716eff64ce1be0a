"""What to paste where, whether the first line has come, and what is still lacking."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from apps.fleet.access import access_cluster, access_clusters, parts_in
from apps.fleet.authority.rules import Subject
from apps.fleet.models import Cluster, ParticipationRole
from apps.telemetry.snippets.agents import AGENTS, SnippetRequest
from apps.telemetry.status.arrivals import arrivals_of
from apps.telemetry.status.completeness import completeness_of, held_by
from apps.tenancy.access import Actor, Right
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.models import TokenScope
from apps.tenancy.tokens import BadToken
from apps.web.connect.agents import AgentGroup, groups_of, only_alone
from apps.web.connect.ingest_checklist import Tick, ticks
from apps.web.connect.missing_inputs import Lack, lacks
from apps.web.display.authority import AuthorityLabel, SubjectAuthority, is_taken, standings
from apps.web.display.choices import SegmentLink
from apps.web.shell.address_filters import known
from apps.web.shell.render import show
from apps.web.sources.compose import admin_names
from apps.web.sources.view import since_of
from apps.web.tokens import token_form
from apps.web.tokens.page import NewToken, TokenForm
from apps.web.tokens.rows import token_form as empty_form

KINDS_LENGTH = 200
# A page that nobody closed asks more seldom: on a large cluster each answer looks at many rows.
WATCHED = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalPoll:
    """What came in, and where to ask what came since."""

    ticks: tuple[Tick, ...]
    query: str
    every: str  # between two looks


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectPage:
    """Texts to paste for one cluster, what came of them, and what is lacking."""

    cluster: Cluster | None
    clusters: tuple[SegmentLink, ...]
    groups: tuple[AgentGroup, ...]
    coming: ArrivalPoll | None
    lacks: tuple[Lack, ...]
    can_manage: bool
    admins: str
    said: tuple[SubjectAuthority, ...] = ()
    form: TokenForm | None = None
    made: NewToken | None = None


@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def connect(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the texts; as a fragment, only what came. A token that is made stands in this answer."""
    now = timezone.now()
    cluster = _cluster(request)
    if request.method == "POST":
        return _with_token(request, cluster=cluster, now=now)
    if request.headers.get("HX-Request") and cluster:
        values = {"coming": _coming(request, cluster=cluster, now=now), "org": org}
        return render(request, "web/connect/ingest_status.html", values)
    return _shown(request, cluster=cluster, now=now)


def _with_token(
    request: OrganizationRequest, *, cluster: Cluster | None, now: datetime
) -> HttpResponse:
    try:
        issued, _ = token_form.make(request, now=now)
    except BadToken as error:
        form = token_form.refused(request, error=error)
        return _shown(request, cluster=cluster, now=now, form=form, status=422)
    may_send = TokenScope.INGEST in issued.token.scopes
    made = NewToken(name=issued.token.name, clear_text=issued.clear_text, may_send=may_send)
    return _shown(request, cluster=cluster, now=now, made=made, status=201)


def _shown(
    request: OrganizationRequest,
    *,
    cluster: Cluster | None,
    now: datetime,
    form: TokenForm | None = None,
    made: NewToken | None = None,
    status: int = 200,
) -> HttpResponse:
    actor = request.actor
    clusters = list(access_clusters(actor=actor))
    can_manage = Right.MANAGE in actor.rights
    wanted = SnippetRequest(
        base=settings.PORTAL_BASE_URL,
        cluster=cluster.slug if cluster else "",
        token=made.clear_text if made and made.may_send else "",
    )
    agent = known(request, "agent", [each.key for each in AGENTS])
    word = _word(actor, cluster) if cluster else None
    # What is refused from this organization is not offered to it.
    is_inventory = word is not None and is_taken(subject=Subject.NODES, **word)
    without = () if is_inventory else ("inventory",)
    page = ConnectPage(
        cluster=cluster,
        clusters=_choices(clusters, cluster, agent),
        groups=groups_of(wanted=wanted, chosen=agent, without=without)
        if cluster
        else only_alone(wanted=wanted),
        coming=_coming(request, cluster=cluster, now=now) if cluster else None,
        lacks=_lacks(actor, cluster, now) if cluster else (),
        can_manage=can_manage,
        admins=admin_names(actor=actor),
        said=standings(**word) if word is not None else (),
        form=(form or empty_form(clusters=clusters)) if can_manage and not made else None,
        made=made,
    )
    return show(
        request, "web/connect/page.html", section="sources", now=now, page=page, status=status
    )


def _cluster(request: OrganizationRequest) -> Cluster | None:
    """Return the cluster of the address, or the first one; None: the organization is in none."""
    named = request.GET.get("cluster", "")
    if named:
        return access_cluster(actor=request.actor, slug=named)
    return access_clusters(actor=request.actor).first()


def _choices(
    clusters: Sequence[Cluster], chosen: Cluster | None, agent: str
) -> tuple[SegmentLink, ...]:
    asked = {"agent": agent} if agent else {}
    return tuple(
        SegmentLink(
            text=cluster.name,
            query=urlencode({"cluster": cluster.slug, **asked}),
            is_on=cluster == chosen,
        )
        for cluster in clusters
    )


def _coming(request: OrganizationRequest, *, cluster: Cluster, now: datetime) -> ArrivalPoll:
    """Return what came; kinds that were there when the page was opened are never new."""
    actor = request.actor
    is_opened = "since" not in request.GET
    since = since_of(request.GET.get("since", ""), now=now)
    had = request.GET.get("had", "")[:KINDS_LENGTH].split(",")
    found = arrivals_of(actor=actor, cluster=cluster, since=since, known=had)
    held = request.GET.get("held", "")[:KINDS_LENGTH].split(",")
    if is_opened:
        had = sorted(found)
        held = sorted(held_by(actor=actor, cluster=cluster))
    asked = {
        "cluster": cluster.slug,
        "since": since.isoformat(),
        "had": ",".join(had),
        "held": ",".join(held),
    }
    return ArrivalPoll(
        ticks=ticks(arrivals=found, held=held, now=now),
        query=urlencode(asked),
        every="3s" if now - since < WATCHED else "60s",
    )


def _word(actor: Actor, cluster: Cluster) -> AuthorityLabel:
    """Return by what the organization's word in a cluster is weighed."""
    rows = parts_in(actor=actor, cluster=cluster)
    return {
        "parts": [ParticipationRole(row.part) for row in rows],
        "layers": [layer for row in rows for layer in row.layers],
        "agreed": [ParticipationRole(row.part) for row in rows if row.hosts_agreed_at],
    }


def _lacks(actor: Actor, cluster: Cluster, now: datetime) -> tuple[Lack, ...]:
    return lacks(found=completeness_of(actor=actor, cluster=cluster, now=now))
