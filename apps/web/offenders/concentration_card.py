"""How unevenly events lie on nodes, as a card: the curve, the nodes with most, each cause."""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _

from apps.training.offenders.exclusions import Concentration
from apps.web.display.figures import percent, whole_percent
from apps.web.nodes.node_words import cause_word
from apps.web.offenders.page import ConcentrationCard, ConcentrationRow, TopNode

# Of the drawing: the curve goes from the lower left to the upper right corner.
LEFT, TOP, SIZE = 40, 8, 200
# Of fewer events nothing is called even or uneven.
LEAST: Final = 10


def concentration_card(
    *,
    name: str,
    title: str,
    empty: str,
    found: Sequence[Concentration],
) -> ConcentrationCard:
    """Return the card of one kind of event; `found` has those of any cause first."""
    whole = found[0] if found else None
    return ConcentrationCard(
        id=name,
        title=title,
        caption=_caption(whole) if whole else "",
        empty="" if whole else empty,
        curve=_curve(whole.lorenz) if whole else "",
        hint=_hint(whole) if whole else "",
        top=tuple(TopNode(host=host, count=n) for host, n in whole.top_nodes) if whole else (),
        rows=tuple(_row(each) for each in found),
    )


def _caption(whole: Concentration) -> str:
    return _("%(n)s on %(nodes)s nodes") % {"n": whole.exclusions, "nodes": whole.nodes}


def _hint(whole: Concentration) -> str:
    return _("Lorenz curve: the %(top)s nodes with most have %(share)s of all") % {
        "top": whole.top,
        "share": whole_percent(whole.top_share),
    }


def _curve(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{LEFT + x * SIZE:.1f},{TOP + (1 - y) * SIZE:.1f}" for x, y in points)


def _row(each: Concentration) -> ConcentrationRow:
    is_small = each.exclusions < LEAST
    is_uneven = each.is_uneven and not is_small
    return ConcentrationRow(
        name=_("any cause") if each.cause is None else cause_word(each.cause),
        count=each.exclusions,
        top_share=whole_percent(each.top_share),
        top_interval=_span(each.top_interval),
        alike=_("%(even)s in the long run; by chance %(span)s")
        % {"even": percent(each.even_share), "span": _span(each.alike_interval)},
        gini=f"{each.gini:.2f}",
        gini_interval=" – ".join(f"{value:.2f}" for value in each.gini_interval),  # noqa: RUF001  a span
        verdict=_verdict(is_small=is_small, is_uneven=is_uneven),
        is_uneven=is_uneven,
    )


def _verdict(*, is_small: bool, is_uneven: bool) -> str:
    if is_small:
        return _("too few to say")
    return _("more than by chance") if is_uneven else _("no more than by chance")


def _span(pair: tuple[float, float]) -> str:
    return f"{pair[0] * 100:.0f} – {pair[1] * 100:.0f} %"  # noqa: RUF001  a span
