"""Make a token and see its text this once; end one. On the page of sources and in the settings."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from apps.fleet.access import access_clusters
from apps.tenancy.access import Right
from apps.tenancy.credentials import IssuedToken
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.models import TokenScope
from apps.tenancy.tokens import BadToken, access_tokens
from apps.web.settings.tabs import show_tab
from apps.web.shell.render import show
from apps.web.sources.compose import sources_page
from apps.web.tokens import token_form
from apps.web.tokens.page import Command, NewToken, TokenForm, TokenRow
from apps.web.tokens.rows import commands, token_row
from apps.web.tokens.rows import token_form as empty_form


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensPage:
    """The tokens of the organization, and how to make one."""

    tokens: tuple[TokenRow, ...]
    form: TokenForm
    made: NewToken | None = None
    commands: tuple[Command, ...] = ()


@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: OrganizationRequest, org: str) -> HttpResponse:
    """Make a token. Its text stands in this answer and nowhere else: a second look has none."""
    if request.method != "POST":
        return redirect("web:sources", org)
    now, actor = timezone.now(), request.actor
    try:
        issued, bound = token_form.make(request, now=now)
    except BadToken as error:
        form = token_form.refused(request, error=error)
        page = sources_page(actor=actor, now=now, form=form)
        return show(
            request, "web/sources/page.html", section="sources", now=now, page=page, status=422
        )
    page = sources_page(actor=actor, now=now, made=_made(issued), bound=bound)
    return show(request, "web/sources/page.html", section="sources", now=now, page=page, status=201)


@require_POST
def revoke(request: OrganizationRequest, org: str, prefix: str) -> HttpResponse:
    """End a token at once."""
    _end(request, prefix=prefix)
    return redirect("web:sources", org)


@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the tokens of the organization in the path, or make one and show its text this once."""
    now = timezone.now()
    request.actor.require(Right.MANAGE)
    if request.method != "POST":
        return _show(request, now=now)
    try:
        issued, bound = token_form.make(request, now=now)
    except BadToken as error:
        return _show(request, now=now, form=token_form.refused(request, error=error), status=422)
    return _show(request, now=now, made=_made(issued), bound=bound, status=201)


@require_POST
def end(request: OrganizationRequest, org: str, prefix: str) -> HttpResponse:
    """End a token at once."""
    _end(request, prefix=prefix)
    return redirect("web:tokens", org)


def _show(
    request: OrganizationRequest,
    *,
    now: datetime,
    form: TokenForm | None = None,
    made: NewToken | None = None,
    bound: tuple[str, ...] = (),
    status: int = 200,
) -> HttpResponse:
    clusters = list(access_clusters(actor=request.actor))
    names = {cluster.pk: cluster.name for cluster in clusters}
    rows = access_tokens(actor=request.actor)
    lines = commands(
        base=settings.PORTAL_BASE_URL,
        clusters=tuple(cluster.slug for cluster in clusters),
        made=made,
        bound=bound,
    )
    page = TokensPage(
        tokens=tuple(token_row(token=token, clusters=names, now=now) for token in rows),
        form=form or empty_form(clusters=clusters),
        made=made,
        commands=lines if made and made.may_send else (),
    )
    template = "web/settings/tokens/page.html"
    return show_tab(request, template, tab="tokens", now=now, status=status, page=page)


def _made(issued: IssuedToken) -> NewToken:
    return NewToken(
        name=issued.token.name,
        clear_text=issued.clear_text,
        may_send=TokenScope.INGEST in issued.token.scopes,
    )


def _end(request: OrganizationRequest, *, prefix: str) -> None:
    if token_form.end(request, prefix=prefix, now=timezone.now()):
        messages.info(request, _("The token is revoked: it opens nothing any more."))
