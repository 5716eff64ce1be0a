"""From how many nodes on each of them gets less of the storage path."""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.training.storage_path.scale import Emergence
from apps.web.display.figures import NO_NUMBER
from apps.web.storage_path.figures import rate_text, seconds_text
from apps.web.storage_path.page import ScalePanel, ScaleRow

METRICS: Final = {
    "write-rate": gettext_lazy("Written by a node"),
    "write-queue": gettext_lazy("Wait of a write in the client"),
    "write-response": gettext_lazy("Answer to a write"),
    "write-request": gettext_lazy("A write in all"),
    "read-rate": gettext_lazy("Read by a node"),
    "read-queue": gettext_lazy("Wait of a read in the client"),
    "read-response": gettext_lazy("Answer to a read"),
    "read-request": gettext_lazy("A read in all"),
}
RATES: Final = frozenset({"write-rate", "read-rate"})


def scale_panel(found: Sequence[Emergence], *, run_count: int) -> ScalePanel:
    """Return the table: metrics down, numbers of nodes across."""
    counts = tuple(sorted({count for each in found for count in each.medians}))
    text = ngettext(
        "%(n)s run; of each its three busiest five minutes, of its nodes the median",
        "%(n)s runs; of each its three busiest five minutes, of its nodes the median",
        run_count,
    )
    return ScalePanel(
        counts=counts,
        rows=tuple(_row(each, counts) for each in found),
        caption=text % {"n": run_count},
    )


def _row(each: Emergence, counts: Sequence[int]) -> ScaleRow:
    told = rate_text if each.metric in RATES else seconds_text
    return ScaleRow(
        name=str(METRICS[each.metric]),
        cells=tuple(
            told(each.medians[count]) if count in each.medians else NO_NUMBER for count in counts
        ),
        change=_change(each),
        verdict=_("begins at %(n)s nodes") % {"n": each.begins_at_nodes}
        if each.is_flagged
        else _("no sign of it"),
        is_flagged=each.is_flagged,
    )


def _change(each: Emergence) -> str:
    """Return by how much it is worse or better, and between which numbers of nodes."""
    told = {
        "n": f"{abs(each.degraded_share) * 100:,.0f}",
        "few": each.few_nodes,
        "many": each.many_nodes,
    }
    if each.degraded_share >= 0:
        return _("%(n)s %% worse, from %(few)s to %(many)s") % told
    return _("%(n)s %% better, from %(few)s to %(many)s") % told
