"""Verdicts on stragglers in words."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.reliability.stragglers.values import FindingView, RankPlace
from apps.training.stragglers.verdict import StragglerCause
from apps.web.display.figures import percent

CAUSES: Final = {
    StragglerCause.REFUSED: gettext_lazy("refused"),
    StragglerCause.NONE: gettext_lazy("not straggling"),
    StragglerCause.WORKER: gettext_lazy("one slow worker"),
    StragglerCause.STAGE: gettext_lazy("last pipeline stage"),
    StragglerCause.SEQUENCE_LENGTH: gettext_lazy("length of sequences"),
    StragglerCause.NETWORK: gettext_lazy("network"),
    StragglerCause.UNEXPLAINED: gettext_lazy("not explained"),
}
FORMS: Final = {
    "ndtimeline": gettext_lazy("NDTimeline table"),
    "chrome": gettext_lazy("Kineto or Chrome trace"),
    "inspector": gettext_lazy("NCCL Inspector"),
}
# What follows: a node only where one worker is named.
ADVICE: Final = {
    StragglerCause.STAGE: gettext_lazy("Balance the stages; no node is to blame."),
    StragglerCause.SEQUENCE_LENGTH: gettext_lazy("Balance the sequences; no node is to blame."),
    StragglerCause.NETWORK: gettext_lazy("Look at the network; no node is named."),
    StragglerCause.UNEXPLAINED: gettext_lazy("No node is named."),
}


def verdict_text(found: FindingView) -> str:
    """Return what a trace says, in one sentence."""
    if not found.cause:
        return _("Collectives without their times: what stragglers cost is not known.")
    cause, told = StragglerCause(found.cause), found.verdict
    if cause is StragglerCause.REFUSED:
        text = _("Refused: the simulation is off by %(off)s, more than 5 %%. Nothing follows.")
        return text % {"off": percent(found.discrepancy)}
    share = {"share": percent(told.get("explained_share"))}
    texts = {
        StragglerCause.NONE: _("Not straggling: S is at most 1.1."),
        StragglerCause.WORKER: _("One slow worker explains %(share)s of the slow-down.") % share,
        StragglerCause.STAGE: _("The last pipeline stage explains %(share)s of the slow-down.")
        % share,
        StragglerCause.SEQUENCE_LENGTH: _(
            "Passes of different length explain %(share)s of the slow-down."
        )
        % share,
        StragglerCause.NETWORK: _("Transfers explain %(share)s of the slow-down.") % share,
        StragglerCause.UNEXPLAINED: _(
            "No worker, stage, sequence length or transfer explains most of it."
        ),
    }
    return texts[cause]


def advice_text(found: FindingView) -> str:
    """Return what follows of it; nothing where nothing does."""
    if not found.cause:
        return _("Set NCCL_INSPECTOR_DUMP_VERBOSE=1 for the times of collectives.")
    cause = StragglerCause(found.cause)
    if cause is StragglerCause.WORKER and found.worker is not None:
        return _("Look at %(place)s.") % {"place": place_text(found.worker)}
    return str(ADVICE.get(cause, ""))


def place_text(place: RankPlace) -> str:
    """Return where a rank runs, as far as it was reported."""
    told = {"rank": place.rank, "host": place.host, "gpu": place.gpu}
    if place.host and place.gpu is not None:
        return _("rank %(rank)s on %(host)s, GPU %(gpu)s") % told
    if place.host:
        return _("rank %(rank)s on %(host)s") % told
    return _("rank %(rank)s (its node was not reported)") % told


def prior_text(verdict: Mapping[str, Any]) -> str:
    """Return how often the study met this cause; nothing where it has no number."""
    prior = verdict.get("prior_share")
    if prior is None:
        return ""
    text = _("Of the slow jobs of the published study (3,079 jobs) it was %(share)s.")
    return text % {"share": percent(prior)}
