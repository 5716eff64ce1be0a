"""Tables of lost GPU-hours, by what they are put down to."""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from apps.incidents.words import spoken
from apps.reliability.period.incident_losses import SEVERAL
from apps.reliability.period.tables import LOSS_KINDS
from apps.reliability.period.values import LossKind, LossShare, Period, WorstNode
from apps.web.display.figures import at_least, gpu_hours, percent
from apps.web.display.layers import layer_mark
from apps.web.reliability.asked import AskedPeriod
from apps.web.reliability.figure_text import counted_query, interval_text
from apps.web.reliability.page import LossRow, LossTable, NodeRow

MOST_ROWS: Final = 8
TITLES: Final = {
    "layer": gettext_lazy("By layer"),
    "cause": gettext_lazy("By cause"),
    "node": gettext_lazy("By node"),
    "party": gettext_lazy("By who answers for it"),
    "month": gettext_lazy("By month"),
}
COLUMNS: Final = {
    "layer": gettext_lazy("Layer"),
    "cause": gettext_lazy("Cause"),
    "node": gettext_lazy("Node"),
    "party": gettext_lazy("Party"),
    "month": gettext_lazy("Month"),
}
UNNAMED: Final = {
    "node": gettext_lazy("no node is blamed, or which is hidden"),
    "party": gettext_lazy("nobody: no layer is blamed"),
}


def loss_tables(period: Period, asked: AskedPeriod) -> tuple[LossTable, ...]:
    """Return the tables that have anything to tell."""
    tables = (_table(kind, period.losses.by[kind], period, asked) for kind in LOSS_KINDS)
    return tuple(each for each in tables if each.rows)


def _table(
    kind: LossKind, shares: Sequence[LossShare], period: Period, asked: AskedPeriod
) -> LossTable:
    most = max((each.gpu_hours or 0.0 for each in shares), default=0.0)
    return LossTable(
        title=str(TITLES[kind]),
        column=str(COLUMNS[kind]),
        rows=tuple(_row(kind, each, asked, most) for each in shares[:MOST_ROWS]),
        more_count=max(0, len(shares) - MOST_ROWS),
    )


def _row(kind: LossKind, share: LossShare, asked: AskedPeriod, most: float) -> LossRow:
    disputed, part = share.disputed_gpu_hours, share.gpu_hours_share
    told = {"hits": share.incidents.hits, "n": share.incidents.n}
    return LossRow(
        name=_name(kind, share.name),
        layer=layer_mark(share.name) if kind == "layer" else None,
        incidents=pgettext("of incidents", "%(hits)s of %(n)s") % told,
        gpu_hours=_hours(share),
        share=percent(part),
        interval=interval_text(share.gpu_hours_interval, percent),
        disputed=gpu_hours(disputed),
        query=counted_query(asked, name=kind, of=share.name) if share.name else "",
        width=round((share.gpu_hours or 0.0) / most * 100, 1) if most else 0.0,
    )


def _hours(share: LossShare | WorstNode) -> str:
    return at_least(gpu_hours(share.gpu_hours), is_bound=share.is_at_least)


def _name(kind: LossKind, name: str) -> str:
    if not name:
        return str(UNNAMED.get(kind, _("not known")))
    if kind == "node" and name == SEVERAL:
        return _("several nodes together")
    return spoken(name).name if kind == "cause" else name


def node_rows(period: Period, asked: AskedPeriod) -> tuple[NodeRow, ...]:
    """Return the hosts that most incidents blame."""
    return tuple(
        NodeRow(
            host=each.host,
            cluster=each.cluster,
            incident_count=each.incidents.count,
            gpu_hours=_hours(each),
            query=counted_query(asked, name="worst-node", of=each.host),
        )
        for each in period.worst_nodes
    )
