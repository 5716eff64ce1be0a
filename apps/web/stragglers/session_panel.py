"""Stragglers of one session: who is slow now, and what step traces said."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from apps.fleet.values import AttemptView, SessionView
from apps.reliability.facade.stragglers import slow_members, straggler_findings
from apps.reliability.stragglers.values import FindingView, SlowMember
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor, Right
from apps.web import words
from apps.web.display.figures import percent
from apps.web.display.instants import day_text
from apps.web.display.levels import shared_mark
from apps.web.stragglers.page import SlowRow, StragglerPanel, TraceCard
from apps.web.stragglers.straggler_words import (
    FORMS,
    advice_text,
    prior_text,
    verdict_text,
)
from apps.web.warnings.rows import family_name

TRACES_SHOWN: Final = 5
WORKERS_SHOWN: Final = 5
SLOW_SHOWN: Final = 20


def straggler_panel(
    *,
    actor: Actor,
    session: SessionView,
    attempts: Sequence[AttemptView],
    shown: AttemptView | None,
    now: datetime,
) -> StragglerPanel | None:
    """Return what is known of a session's stragglers; None of one without attempts."""
    if shown is None:
        return None
    findings = straggler_findings(actor=actor, session=session, attempts=attempts)
    cluster = session.cluster.slug if session.cluster else None
    is_hidden = False
    try:
        slow = slow_members(
            actor=actor,
            cluster=cluster,
            attempt=shown,
            findings=findings,
            channel=LedgerChannel.PAGE,
            now=now,
        )
    except LedgerUnavailable:
        slow, is_hidden = (), True
    return StragglerPanel(
        attempt=shown.number,
        slow=tuple(_slow_row(each, now) for each in slow[:SLOW_SHOWN]),
        traces=tuple(_card(each, now) for each in findings[:TRACES_SHOWN]),
        more_count=max(len(findings) - TRACES_SHOWN, 0),
        session=session.public_id,
        can_add=Right.ACT in actor.rights,
        is_hidden=is_hidden,
    )


def _slow_row(each: SlowMember, now: datetime) -> SlowRow:
    return SlowRow(
        place=_place(each),
        told_by=_told_by(each),
        since=day_text(each.since, now=now) if each.since else _("not told"),
        state=_("over") if each.is_over else _("goes on"),
        warning=each.reference if each.told_by == "warning" else "",
    )


def _place(each: SlowMember) -> str:
    parts = [each.host or _("a node that was not reported")]
    if each.gpu is not None:
        parts.append(_("GPU %(n)s") % {"n": each.gpu})
    if each.rank is not None:
        parts.append(_("rank %(n)s") % {"n": each.rank})
    return ", ".join(parts)


def _told_by(each: SlowMember) -> str:
    if each.told_by == "collectives":
        text = _("last to %(share)s of the collectives (NCCL Inspector)")
        return text % {"share": percent(each.last_share)}
    families = words.joined([family_name(name) for name in each.families])
    told = _("metrics: %(families)s") % {"families": families}
    if each.shared is None:
        return told
    return _("%(what)s, shown by %(who)s") % {"what": told, "who": shared_mark(each.shared)}


def _card(found: FindingView, now: datetime) -> TraceCard:
    return TraceCard(
        public_id=found.public_id,
        attempt=found.attempt,
        added=day_text(found.added_at, now=now),
        by=found.added_by,
        form=str(FORMS[found.form]),
        verdict=verdict_text(found),
        advice=advice_text(found),
        prior=prior_text(found.verdict),
        figures=tuple(_figures(found)),
        workers=tuple(_workers(found.what_if.get("workers") or ())),
        is_refused=found.is_refused,
    )


def _figures(found: FindingView) -> Iterator[tuple[str, str]]:
    """Yield the figures; of a refused simulation only by how much it is off."""
    told = found.what_if
    if found.discrepancy is not None:
        yield _("Simulation off by"), percent(found.discrepancy)
    if found.slowdown is None:
        return
    yield _("Slow-down S"), f"{found.slowdown:.4f}"
    if (beside := told.get("slowdown_beside_peers")) is not None:
        yield _("S beside its peers"), f"{beside:.4f}"
    for name, key in (
        (_("Worst workers, M_W"), "worst_workers_share"),
        (_("Last stage, M_S"), "last_stage_share"),
        (_("Transfers"), "network_share"),
        (_("Uneven passes"), "spread_share"),
    ):
        if (share := told.get(key)) is not None:
            yield name, f"{share:.4f}"
    if kinds := told.get("by_kind"):
        slowest = max(kinds, key=lambda kind: float(kinds[kind]))
        yield _("Slowest kind, S_t"), f"{slowest} {kinds[slowest]:.3f}"
    yield _("Steps"), f"{told.get('steps', 0):,}"


def _workers(workers: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for each in workers[:WORKERS_SHOWN]:
        name = _("DP%(replica)s/PP%(stage)s, rank %(rank)s") % {
            "replica": each["dp_rank"],
            "stage": each["stage"],
            "rank": each["rank"],
        }
        yield name, f"{each['slowdown']:.3f}"
