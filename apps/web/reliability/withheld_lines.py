"""What a period does not show its reader, once for all that have the same reason."""

from collections.abc import Iterator, Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.reliability.period.values import Period
from apps.web.reliability.figure_text import WHY
from apps.web.reliability.page import NamedFigure

NAMES: Final = {
    "time-to-failure": gettext_lazy("time to a failure"),
    "lost-gpu-hours": gettext_lazy("lost GPU-hours"),
    "retries": gettext_lazy("retries"),
    "goodput": gettext_lazy("goodput"),
    "ettr": gettext_lazy("effective training time"),
    "mfu": gettext_lazy("MFU"),
    "checkpoint-interval": gettext_lazy("how often checkpoints are saved"),
    "lost-progress": gettext_lazy("lost progress"),
    "slow-time": gettext_lazy("slow steps"),
    "worst-nodes": gettext_lazy("worst nodes"),
}


def withheld_lines(period: Period) -> Iterator[str]:
    """Yield a line for each reason: the figures that it keeps back."""
    reasons = dict.fromkeys(each.absence for each in period.withheld)
    for why in reasons:
        names = [str(NAMES[each.figure]) for each in period.withheld if each.absence is why]
        yield _("%(what)s: %(why)s") % {"what": ", ".join(names), "why": WHY[why]}


def is_told(period: Period, name: str, figures: Sequence[NamedFigure]) -> bool:
    """Say whether these figures are more than withheld: a part of the page is theirs then."""
    is_withheld = name in {each.figure for each in period.withheld}
    return not is_withheld or any(not each.figure.is_absent for each in figures)
