"""How long sessions ran for each failure, in words."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.reliability.period.values import Period
from apps.web.reliability.asked import AskedPeriod
from apps.web.reliability.figure_text import figure_text, hours
from apps.web.reliability.page import NamedFigure


def failure_lines(period: Period, asked: AskedPeriod) -> Iterator[NamedFigure]:
    """Yield how long sessions ran for each failure."""
    found = period.time_to_failure
    for name, figure, key in (
        (_("Any failure"), found.hours, "time-to-failure-hours"),
        (
            _("GPU, network, storage or host is blamed"),
            found.infrastructure_hours,
            "infrastructure-time-to-failure-hours",
        ),
    ):
        text = figure_text(figure, form=hours, name=key, asked=asked)
        yield NamedFigure(name=name, figure=text)
    rate = figure_text(
        found.per_1000_node_days,
        form=lambda value: f"{value:.2f}",
        name="failures-per-1000-node-days",
        asked=asked,
    )
    yield NamedFigure(name=_("Those per 1,000 node-days"), figure=rate)


def failure_notes(period: Period) -> Iterator[str]:
    """Yield what a published rate would promise, and what not to read of it."""
    found = period.time_to_failure
    if found.expected is not None:
        told = {"gpus": f"{found.expected.gpus:,}", "hours": hours(found.expected.hours)}
        yield (
            _(
                "Half of all GPU-hours were spent by attempts of up to %(gpus)s GPUs. At the "
                "published 6.50 failures per 1,000 node-days (Meta, 16,384 GPUs) that size would "
                "fail every %(hours)s."
            )
            % told
        )
    yield _(
        "The curve is computed of that rate. What was measured there, 47.7 days at 8 GPUs and "
        "7.9 hours at 1,024, does not lie on it: do not read between the points."
    )
    if found.endless_count:
        yield ngettext(
            "Nobody told when %(n)s attempt ended: it counts as no time of running.",
            "Nobody told when %(n)s attempts ended: they count as no time of running.",
            found.endless_count,
        ) % {"n": found.endless_count}
