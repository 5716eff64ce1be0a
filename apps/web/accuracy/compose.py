"""How right the verdicts were, as their page shows it."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from apps.incidents.judgement.accuracy import (
    AccuracyShare,
    CalibrationStep,
    Judged,
    by_layer,
    overall,
    steps,
)
from apps.web.accuracy.page import AccuracyPage, LayerRow, ShareText, StepRow
from apps.web.display.figures import NO_NUMBER
from apps.web.display.layers import layer_mark


def accuracy_page(*, judged: Sequence[Judged], incident_count: int) -> AccuracyPage:
    """Return the page of how right the verdicts were."""
    return AccuracyPage(
        overall=share_text(overall(judged=judged)),
        judged_count=len(judged),
        incident_count=incident_count,
        disputed_count=sum(each.is_disputed for each in judged),
        disputed=_disputed(judged),
        layers=tuple(
            LayerRow(
                layer=layer_mark(each.layer),
                by_layer=share_text(each.by_layer),
                by_cause=share_text(each.by_cause),
                disputed_count=each.disputed_count,
            )
            for each in by_layer(judged=judged)
        ),
        steps=tuple(_step(each) for each in steps(judged=judged) if each.share.n),
    )


def _disputed(judged: Sequence[Judged]) -> str:
    """Return what the parties contradict each other on, and what that leaves out."""
    on_layer = sum(each.is_layer_right is None for each in judged)
    on_cause = sum(each.is_disputed for each in judged) - on_layer
    if not on_layer and not on_cause:
        return _("the parties agree wherever several judged the same answer")
    return _(
        "one party contradicts another: %(layers)d on the layer, %(causes)d on the cause alone; "
        "each is left out of the share that they disagree on"
    ) % {"layers": on_layer, "causes": on_cause}


def share_text(share: AccuracyShare) -> ShareText:
    """Return a share with its interval; nothing judged is no zero."""
    if not share.n:
        return ShareText(value=NO_NUMBER, interval="", is_small=True)
    low, high = share.interval
    return ShareText(
        value=_("%(hits)d of %(n)d") % {"hits": share.hits, "n": share.n},
        interval=_("%(low).0f to %(high).0f %%") % {"low": low * 100, "high": high * 100},
        is_small=share.is_small,
    )


def _step(step: CalibrationStep) -> StepRow:
    return StepRow(
        range=f"{step.low:.2f}–{step.high:.2f}",  # noqa: RUF001  a range
        stated=f"{step.stated or 0:.2f}",
        share=share_text(step.share),
        words=_judged(step),
    )


def _judged(step: CalibrationStep) -> str:
    """Return what the interval says of what was stated."""
    low, high = step.share.interval
    if step.share.is_small or step.stated is None:
        return _("too few to say")
    if step.stated > high:
        return _("surer than it was right")
    return _("less sure than it was right") if step.stated < low else _("fits")
