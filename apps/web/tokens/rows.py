"""Tokens in words: what they may do, where, since when they rest; and the lines that use them."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from apps.fleet.models import Cluster
from apps.tenancy.models import Token, TokenScope
from apps.web import words
from apps.web.display.instants import day_in_full, in_full
from apps.web.tokens.page import Command, NewToken, TokenChoice, TokenForm, TokenRow

SOON = timedelta(days=14)
DAYS = ("30", "90", "365", "")
STANDS_FOR_TOKEN = "$FAULTLINE_TOKEN"  # noqa: S105  a variable of the reader's shell


def token_row(*, token: Token, clusters: Mapping[int, str], now: datetime) -> TokenRow:
    """Return one token; of a cluster that is gone only its number is known."""
    is_over = token.expires_at is not None and token.expires_at <= now
    is_alive = token.revoked_at is None and not is_over
    named = [clusters.get(pk, str(pk)) for pk in token.clusters]
    return TokenRow(
        name=token.name,
        prefix=token.prefix,
        may=", ".join(scope_name(TokenScope(scope)) for scope in token.scopes),
        where=", ".join(named) or _("no cluster"),
        made=_("made on %(day)s") % {"day": day_in_full(token.created_at)},
        used=_used(token=token, now=now),
        ends=_ends(token=token, is_over=is_over),
        state=("fresh" if token.last_used_at else "waiting") if is_alive else "failed",
        is_alive=is_alive,
        ends_soon=is_alive and token.expires_at is not None and token.expires_at - now < SOON,
    )


def scope_name(scope: TokenScope) -> str:
    """Return what a scope lets a machine do."""
    names = {
        TokenScope.INGEST: _("send data"),
        TokenScope.READ: _("read"),
        TokenScope.WRITE: _("annotate and act"),
    }
    return names[scope]


def token_form(
    *,
    clusters: Sequence[Cluster],
    given: Mapping[str, Sequence[str]] | None = None,
    problem: str = "",
) -> TokenForm:
    """Return the form: as it was filled in, or with what most machines need."""
    first = {"scope": [TokenScope.INGEST.value], "days": ["90"], "cluster": []}
    if len(clusters) == 1:
        first["cluster"] = [clusters[0].slug]
    filled = first if given is None else given
    chosen_days = list(filled.get("days", ())) or [""]
    return TokenForm(
        scopes=tuple(
            TokenChoice(
                value=scope.value,
                name=scope_name(scope),
                is_chosen=scope.value in filled.get("scope", ()),
            )
            for scope in TokenScope
        ),
        clusters=tuple(
            TokenChoice(
                value=cluster.slug,
                name=cluster.name,
                is_chosen=cluster.slug in filled.get("cluster", ()),
            )
            for cluster in clusters
        ),
        days=tuple(
            TokenChoice(value=days, name=_days_name(days), is_chosen=days == chosen_days[0])
            for days in DAYS
        ),
        name=next(iter(filled.get("name", ())), ""),
        problem=problem,
    )


def commands(
    *, base: str, clusters: Sequence[str], made: NewToken | None, bound: Sequence[str]
) -> tuple[Command, ...]:
    """Return the lines that send a file: with a new token, the one line that works as it is."""
    token = made.clear_text if made and made.may_send else STANDS_FOR_TOKEN
    to_cluster = Command(
        name="curl-cluster",
        text=_curl(base=base, token=token, cluster=next(iter(bound or clusters), "")),
        when=_("To a cluster: its parties learn what broke, not what your lines say."),
    )
    alone = Command(
        name="curl-alone",
        text=_curl(base=base, token=token, cluster=""),
        when=_("With a token for no cluster: only your organization sees what comes of it."),
    )
    if token != STANDS_FOR_TOKEN:
        return (to_cluster,) if bound else (alone,)
    return (to_cluster, alone) if clusters else (alone,)


def _curl(*, base: str, token: str, cluster: str) -> str:
    where = f"&cluster={cluster}" if cluster else ""
    return (
        f'curl -H "Authorization: Bearer {token}" '
        f"--data-binary @train.log '{base}/api/v1/logs?session=my-run{where}'"
    )


def _used(*, token: Token, now: datetime) -> str:
    if token.last_used_at is None:
        return _("never used")
    seconds = max((now - token.last_used_at).total_seconds(), 0)
    return _("used %(age)s ago") % {"age": words.duration(seconds)}


def _ends(*, token: Token, is_over: bool) -> str:
    if token.revoked_at:
        return _("revoked on %(day)s") % {"day": day_in_full(token.revoked_at)}
    if token.expires_at is None:
        return _("until it is revoked")
    day = {"day": f"{in_full(token.expires_at)} UTC"}
    return _("ended on %(day)s") % day if is_over else _("until %(day)s") % day


def _days_name(days: str) -> str:
    return _("%(n)s days") % {"n": days} if days else _("until it is revoked")
