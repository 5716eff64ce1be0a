"""How sessions got on, as rows, and which other parties show that of theirs."""

from collections.abc import Mapping
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.reliability.period.facts import SessionOwner
from apps.reliability.period.values import Period, SessionProgress
from apps.tenancy.access import Actor
from apps.web import words
from apps.web.display.figures import NO_NUMBER, percent
from apps.web.display.levels import shared_mark
from apps.web.display.shown_parties import ShownPartyRow, proposal_url, shown_or
from apps.web.reliability.counted_sessions import session_names
from apps.web.reliability.page import ProgressRow

ROWS_SHOWN: Final = 20


def progress_rows(period: Period, *, actor: Actor) -> tuple[ProgressRow, ...]:
    """Return the sessions that ran longest; all of them are in the file."""
    shown = period.progress[:ROWS_SHOWN]
    names = session_names(actor, [each.session for each in shown])
    return tuple(_row(each, actor.organization.slug, names) for each in shown)


def _row(each: SessionProgress, org: str, names: Mapping[str, str]) -> ProgressRow:
    return ProgressRow(
        session=each.session,
        name=names.get(each.session, each.session),
        url=reverse("web:session", args=[org, each.session]),
        whose=shared_mark(each.shared) if each.shared else _("yours"),
        wall=words.duration(each.wall_ms / 1000),
        goodput=percent(each.goodput),
        step=NO_NUMBER if each.step_seconds is None else _seconds(each.step_seconds),
        tokens=_tokens(each.tokens_per_second),
    )


def _tokens(per_second: float | None) -> str:
    return NO_NUMBER if per_second is None else f"{per_second:,.0f}"


def _seconds(seconds: float) -> str:
    return pgettext("seconds", "%(value).3g s") % {"value": seconds}


def owner_rows(period: Period, *, org: str) -> tuple[ShownPartyRow, ...]:
    """Return whose sessions are counted beside one's own, and where to ask for more of them."""
    cluster = period.scope.cluster
    return tuple(_owner(each, org, cluster.slug) for each in period.owners) if cluster else ()


def _owner(owner: SessionOwner, org: str, cluster: str) -> ShownPartyRow:
    hidden = _("hidden by policy: no agreement shows how its sessions get on to you")
    return ShownPartyRow(
        name=owner.organization.name,
        about=owner.session_count,
        shown=shown_or(owner.shown, hidden=hidden),
        ask=""
        if owner.shown
        else proposal_url(org=org, cluster=cluster, counterpart=owner.organization.slug),
    )
