"""What one party may read of two incidents, question by question."""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.diagnosis.model import statement_of
from apps.incidents import words as naming
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.values import HypothesisView, IncidentView
from apps.web import words
from apps.web.compare.page import ComparedIncident, ComparedRow, ComparePage
from apps.web.display.instants import in_full
from apps.web.display.layers import layer_mark
from apps.web.incident.hypotheses.alike import folded
from apps.web.incident.verdict import verdict_strip
from apps.wording import headline, said

SIGNS_SHOWN = 5
EVIDENCE_SHOWN = 6
# Kinds of moments that people made: they are no signs of what broke.
SIGN_KINDS = frozenset({"event", "anomaly"})
Question = Callable[[IncidentView], Sequence[str]]


def compare_page(*, first: IncidentView, second: IncidentView) -> ComparePage:
    """Return both side by side."""
    questions: tuple[tuple[str, Question], ...] = (
        (_("Cause"), _cause),
        (_("Probability"), _probability),
        (_("Blamed"), _culprits),
        (_("Broke"), _broke),
        (_("Phase"), lambda view: [verdict_strip(view.header).phase]),
        (_("Stopped first"), _first_stopper),
        (_("Sessions"), _sessions),
        (_("First signs"), _signs),
        (_("Speaks for it"), _evidence),
        (_("Start again?"), lambda view: [naming.restart(view.header)]),
        (_("State"), lambda view: [words.said(words.STATUSES, view.header.incident.status)]),
    )
    return ComparePage(
        first=_head(first.header),
        second=_head(second.header),
        rows=tuple(
            ComparedRow(name=name, first=_lines(ask(first)), second=_lines(ask(second)))
            for name, ask in questions
        ),
        note=" ".join(_notes(first.header, second.header)),
    )


def _head(header: IncidentHeader) -> ComparedIncident:
    return ComparedIncident(
        public_id=header.incident.public_id,
        title=naming.title_of(header),
        layer=layer_mark(header.incident.layer),
    )


def _lines(told: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in told if each) or (_("not known"),)


def _notes(first: IncidentHeader, second: IncidentHeader) -> list[str]:
    seconds = abs((second.moment - first.moment).total_seconds())
    found = [_("%(length)s lie between them.") % {"length": words.duration(seconds)}]
    shared = sorted(_hosts(first) & _hosts(second))
    if shared:
        text = ngettext("Both blame %(hosts)s.", "Both blame these nodes: %(hosts)s.", len(shared))
        found.append(text % {"hosts": words.hosts_text(shared)})
    return found


def _hosts(header: IncidentHeader) -> set[str]:
    return {str(each["host"]) for each in header.culprits or () if each.get("host")}


def _cause(view: IncidentView) -> list[str]:
    strip = verdict_strip(view.header)
    return [f"{strip.layer.name}: {strip.cause}"]


def _probability(view: IncidentView) -> list[str]:
    odds = verdict_strip(view.header).probability
    return [f"{odds.text} {odds.word}".strip()]


def _culprits(view: IncidentView) -> list[str]:
    if view.header.culprits is None:
        return [_("hidden by policy")]
    return [naming.culprit(each) for each in view.header.culprits]


def _broke(view: IncidentView) -> list[str]:
    at = view.header.incident.started_at
    return [f"{in_full(at, seconds=True)} UTC"] if at else []


def _first_stopper(view: IncidentView) -> list[str]:
    if not view.header.rights.sees_session:
        return [_("hidden by policy")]
    told = view.header.first_stopper
    if not told:
        return []
    ranks = ", ".join(str(rank) for rank in told.get("ranks", ()))
    how = words.said(words.FIRST_STOP, str(told.get("by", "")))
    return [_("rank %(ranks)s, %(how)s") % {"ranks": ranks, "how": how}]


def _sessions(view: IncidentView) -> list[str]:
    if not view.header.rights.sees_session:
        return [_("hidden by policy")]
    return [f"{each.session.name} #{each.number}" for each in view.header.attempts]


def _signs(view: IncidentView) -> list[str]:
    """Return the first things that were noticed, each with how long before or after the break."""
    broke_at = view.header.incident.started_at
    found = [each for each in view.timeline if each.at and each.kind in SIGN_KINDS]
    return [
        f"{_offset((each.at - broke_at).total_seconds())}: {said(statement_of(each.statement))}"
        if broke_at and each.at
        else said(statement_of(each.statement))
        for each in sorted(found, key=lambda one: (str(one.at), one.id))[:SIGNS_SHOWN]
    ]


def _offset(seconds: float) -> str:
    sign = "−" if seconds < 0 else "+"  # noqa: RUF001  a true minus sign
    return f"{sign}{words.duration(abs(seconds))}"


def _evidence(view: IncidentView) -> list[str]:
    """Return what speaks for the leading explanation: in words what the reader may see."""
    best: HypothesisView | None = next(iter(view.hypotheses), None)
    if best is None:
        return []
    heaviest = folded(sorted(best.supporting, key=lambda each: -each.weight))[:EVIDENCE_SHOWN]
    pieces = [each.first for each in heaviest]
    shown = [f"{headline(statement_of(p.statement))} ({words.weight(p.weight)})" for p in pieces]
    held = [
        _("%(items)s held by %(name)s (%(weight)s)")
        % {
            "items": words.items(each.count),
            "name": each.organization.name,
            "weight": words.weight(each.weight),
        }
        for each in best.held
        if each.side == "for"
    ]
    return [*shown, *held]
