"""What others measure of a vendor's layers, as the page of sources says it."""

from collections.abc import Iterable
from dataclasses import replace

from django.utils.translation import gettext as _

from apps.incidents.projection.shared.measured_elsewhere import MeasuredElsewhere
from apps.web import words
from apps.web.display.levels import level_name
from apps.web.sources.page import MeasuredRow


def rows_elsewhere(found: Iterable[MeasuredElsewhere]) -> tuple[MeasuredRow, ...]:
    """Return a line for each party of a cluster, for layers of which the same is said together."""
    lines: dict[MeasuredRow, list[str]] = {}
    for each in found:
        line = MeasuredRow(
            text=_text(each),
            cluster=each.cluster.slug,
            cluster_name=each.cluster.name,
            holder=each.holder.slug,
            agreement=each.agreement,
            is_shown=each.level is not None,
        )
        lines.setdefault(line, []).append(words.layer(each.layer))
    return tuple(replace(line, layers=", ".join(layers)) for line, layers in lines.items())


def _text(each: MeasuredElsewhere) -> str:
    told = {"who": each.holder.name}
    if each.is_measured and each.level is not None:
        form = _("measured by %(who)s, shown to you: %(level)s")
        return form % {**told, "level": level_name(each.level)}
    if each.is_measured is False:
        return _("%(who)s would show it, and measured nothing of it lately") % told
    if each.is_around_incidents:
        return _("what %(who)s measures is shown to you around incidents alone") % told
    return _("what %(who)s measures is not shared with you") % told
