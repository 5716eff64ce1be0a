"""A node's history as its page shows it."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.fleet.models import ExclusionKind
from apps.reliability.offenders.values import NodeCost, NodeHistory
from apps.reliability.period.scopes import Figure
from apps.web import words
from apps.web.changes.compose import change_rows
from apps.web.display.choices import SegmentLink
from apps.web.display.figures import at_least, gpu_hours
from apps.web.incidents.rows import incident_row
from apps.web.nodes.history_drawing import draw_history
from apps.web.nodes.node_words import times_text
from apps.web.nodes.page import NodePage, NumberCell
from apps.web.nodes.rows import (
    exclusion_row,
    part_row,
    run_row,
    signal_rows,
    signals_note,
    warning_lines,
)
from apps.web.reliability.figure_text import WHY

RUNS_SHOWN = 30
EXCLUSIONS_SHOWN = 40


def node_page(*, history: NodeHistory, org: str, spans: tuple[SegmentLink, ...]) -> NodePage:
    """Return what the page of a node shows."""
    now, identity = history.until, history.identity
    in_force = [each for each in history.exclusions if each.is_in_force(now)]
    return NodePage(
        host=history.host,
        id=f"{history.cluster.slug}:{history.host}",
        cluster=history.cluster.slug,
        cluster_name=history.cluster.name,
        lead=" ".join(_lead(history)),
        is_out=bool(in_force),
        out_by_hand=any(e.kind is ExclusionKind.MANUAL and e.is_own for e in in_force),
        may_exclude=history.may_exclude,
        numbers=tuple(_numbers(history)),
        spans=spans,
        drawing=draw_history(history=history, org=org),
        incidents=tuple(incident_row(header=each, now=now) for each in history.incidents),
        more_incidents=max(0, len(history.blamed) - len(history.incidents)),
        exclusions=tuple(
            exclusion_row(each, now=now) for each in history.exclusions[:EXCLUSIONS_SHOWN]
        ),
        changes=change_rows(history.changes, now=now),
        signals=signal_rows(history),
        signals_note=signals_note(history),
        warnings=warning_lines(history.warnings, now=now),
        runs=tuple(run_row(each, now=now) for each in history.runs[:RUNS_SHOWN]),
        parts=tuple(part_row(each, now=now) for each in identity.parts) if identity else (),
        former_parts=tuple(part_row(each, now=now) for each in identity.former_parts)
        if identity
        else (),
        has_inventory=identity is not None,
        aliases=", ".join(identity.aliases) if identity else "",
        cost_note=_cost_note(history),
        reads_all=history.reads_all,
    )


def _lead(history: NodeHistory) -> Iterator[str]:
    count = history.recent_count
    text = ngettext(
        "%(n)s incident in the last 28 days blames it.",
        "%(n)s incidents in the last 28 days blame it.",
        count,
    )
    yield text % {"n": count} if count else _("No incident of the last 28 days blames it.")
    if history.is_out:
        yield _("It is left out now.")
    if history.lemon and history.lemon.is_lemon:
        yield _("It fails more than other nodes do: have it looked at before it is used again.")


def _numbers(history: NodeHistory) -> Iterator[NumberCell]:
    yield NumberCell(
        name=_("Incidents, 28 days"),
        value=str(history.recent_count),
        text=_("that blame it and that you may see"),
        href="#incidents",
    )
    since = [each for each in history.excluded if each.starts_at >= history.since]
    seconds = sum(
        (
            min(each.ends_at or history.until, history.until) - max(each.starts_at, history.since)
        ).total_seconds()
        for each in history.excluded
    )
    yield NumberCell(
        name=_("Taken out"),
        value=times_text(len(since)) if since else "0",
        text=_("%(length)s in all") % {"length": words.duration(seconds)} if seconds else "",
        href="#exclusions",
    )
    lemon = history.lemon
    yield NumberCell(
        name=_("Lemon score"),
        value=f"{lemon.score:.1f}" if lemon else "0",
        text=ngettext("beside %(n)s node", "beside %(n)s nodes", history.node_count)
        % {"n": history.node_count},
        href="#lemon",
    )
    yield NumberCell(
        name=_("GPU-hours lost"),
        value=_cost(history.cost.gpu_hours),
        text=_cost_basis(history.cost),
        href="#incidents",
    )


def _cost(hours: Figure) -> str:
    return at_least(gpu_hours(hours.value), is_bound=hours.is_at_least)


def _cost_basis(cost: NodeCost) -> str:
    text = ngettext("%(n)s incident counted", "%(n)s incidents counted", cost.counted)
    told = text % {"n": cost.counted}
    hours = cost.gpu_hours
    return told if hours.value is not None or hours.absence is None else str(WHY[hours.absence])


def _cost_note(history: NodeHistory) -> str:
    text = _(
        "GPU-hours lost, as under Reliability for the same days: since the last checkpoint that "
        "was kept, until the next step, and what slow steps took too long; of several blamed nodes "
        "each has an equal part."
    )
    unknown = history.cost.unknown
    if not unknown:
        return text
    more = ngettext(
        "Of %(n)s incident you may not know all of that, or nobody told it.",
        "Of %(n)s incidents you may not know all of that, or nobody told it.",
        unknown,
    )
    return f"{text} {more % {'n': unknown}}"
