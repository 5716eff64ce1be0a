"""Saves of checkpoints and retries of a period, in words."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.reliability.period.values import Period
from apps.web.display.figures import gpu_hours, percent
from apps.web.reliability.asked import AskedPeriod
from apps.web.reliability.figure_text import figure_text, seconds, share_text
from apps.web.reliability.page import NamedFigure


def save_lines(period: Period, asked: AskedPeriod) -> Iterator[NamedFigure]:
    """Yield how often checkpoints were saved, and what that took."""
    saves = period.saves
    for name, figure, key in (
        (_("Between saves, the median"), saves.measured_seconds, "checkpoint-interval-seconds"),
        (_("Steps wait for a save"), saves.save_seconds, "save-seconds"),
        (_("From the last step to the next one"), saves.restart_seconds, "restart-seconds"),
    ):
        yield NamedFigure(
            name=name, figure=figure_text(figure, form=seconds, name=key, asked=asked)
        )


def save_notes(period: Period) -> Iterator[str]:
    """Yield how often would cost least."""
    saves = period.saves
    if saves.restart_seconds.value is not None:
        yield _(
            "From the last step to the next one: of each attempt that another one followed; where "
            "steps are not known, from its end to the next start. The page Retries counts "
            "recoveries from the failure on, as logs mark it."
        )
    if saves.best_seconds is None:
        yield _("How often would cost least is not known: it takes failures and saves.")
        return
    told = {"best": seconds(saves.best_seconds)}
    if saves.simulated_seconds is None:
        yield _("Saving every %(best)s would cost least, by the formula of Young and Daly.") % told
        return
    told["drawn"] = seconds(saves.simulated_seconds)
    yield (
        _(
            "Saving every %(best)s would cost least by the formula of Young and Daly; every "
            "%(drawn)s by chance (60,000 intervals, a fixed seed)."
        )
        % told
    )
    if saves.ettr_at_measured is not None and saves.ettr_at_best is not None:
        yield _(
            "Effective training time that is expected: %(measured)s as it is saved now, %(best)s "
            "at best."
        ) % {"measured": percent(saves.ettr_at_measured), "best": percent(saves.ettr_at_best)}


def retry_lines(period: Period) -> Iterator[str]:
    """Yield what came of retries."""
    found = period.retries
    for text, share in (
        (_("Automatic chains that got past the stop: %(share)s."), found.automatic),
        (_("Chains by hand that got past the stop: %(share)s."), found.manual),
    ):
        if share.n:
            yield text % {"share": share_text(share)}
    if found.fisher_p is not None:
        word = _("significant") if found.fisher_p < 0.05 else _("not significant")
        yield _("The difference: p = %(p).2f, %(word)s.") % {"p": found.fisher_p, "word": word}
    if found.burnt_gpu_hours.value:
        told = {"hours": gpu_hours(found.burnt_gpu_hours.value), "longest": found.longest}
        yield (
            _(
                "Retries that did not get past it burnt %(hours)s GPU-hours; the longest chain had "
                "%(longest)s."
            )
            % told
        )
    if found.unknown_count:
        yield ngettext(
            "What became of %(n)s more chain is not known: its steps are not yours to read.",
            "What became of %(n)s more chains is not known: their steps are not yours to read.",
            found.unknown_count,
        ) % {"n": found.unknown_count}
