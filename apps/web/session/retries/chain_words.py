"""Retry chains in words, for a session's page and for lists."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words import spoken
from apps.training.retries.chains import ChainOutcome, Retry, RetryChain
from apps.training.retries.crash_loops import AdviceKind, ChainAdvice, CrashLoop
from apps.web import words
from apps.web.session.retries.page import AdviceLine, ChainCard, RetryRow

OUTCOMES: Final = {
    ChainOutcome.RECOVERED: gettext_lazy("got past the stop"),
    ChainOutcome.GAVE_UP: gettext_lazy("did not get past the stop"),
    ChainOutcome.GOES_ON: gettext_lazy("runs"),
}


NO_STEPS: Final = gettext_lazy("not known: no step or save of it was told")
OF_TENANT: Final = gettext_lazy("known to its tenant alone")


def chain_card(chain: RetryChain, *, is_own: bool, is_known: bool = True) -> ChainCard:
    """Return a chain with its retries; of others' chains steps are read by their tenant alone."""
    is_known = is_known and chain.is_known
    unknown = NO_STEPS if is_own else OF_TENANT
    outcome = OUTCOMES[chain.outcome] if is_known else unknown
    return ChainCard(
        title=_("After #%(attempt)s: %(how)s")
        % {"attempt": chain.stopped.number, "how": how_text(chain)},
        outcome=chain.outcome.value if is_known else "unknown",
        outcome_word=str(outcome),
        gap=gap_text(chain),
        gpu_hours=hours_text(chain.gpu_hours, chain.retries),
        burnt=_burnt(chain) if is_known else "",
        retries=tuple(map(_retry, chain.retries)),
    )


def _burnt(chain: RetryChain) -> str:
    burnt = chain.burnt_gpu_hours
    return "" if burnt is None else hours_text(burnt, chain.retries)


def how_text(chain: RetryChain) -> str:
    """Return how many retries there were, and who started them."""
    count = len(chain.retries)
    how = (
        ngettext("%(n)s automatic retry", "%(n)s automatic retries", count)
        if chain.is_automatic
        else ngettext("%(n)s retry by hand", "%(n)s retries by hand", count)
    )
    return how % {"n": count}


def gap_text(chain: RetryChain) -> str:
    """Return the median time between a stop and the next start."""
    return words.duration(median(max(0.0, retry.gap_seconds) for retry in chain.retries))


def hours_text(hours: float, retries: Iterable[Retry]) -> str:
    """Return GPU-hours; empty where nobody told how many GPUs there were."""
    if not all(retry.run.gpus for retry in retries):
        return ""
    return f"{hours:,.0f}" if hours >= 10 else f"{hours:.1f}"


def progress_text(retry: Retry) -> str:
    """Return whether a checkpoint newer than all before was saved."""
    if retry.kept_progress is None:
        return _("not known")
    return _("a newer checkpoint") if retry.kept_progress else _("none")


def loop_text(loop: CrashLoop | None) -> str:
    """Return a crash loop in a sentence; empty without one."""
    if loop is None:
        return ""
    text = ngettext(
        "Crash loop: since attempt %(attempt)s, %(n)s retry ended without a newer checkpoint.",
        "Crash loop: by attempt %(attempt)s, %(n)s retries ended without a newer checkpoint.",
        loop.retries,
    ) % {"attempt": loop.attempt.number or loop.attempt_number, "n": loop.retries}
    if loop.gpu_hours < 1:
        return text
    burnt = _("They took %(hours)s GPU-hours.") % {"hours": f"{loop.gpu_hours:,.0f}"}
    return f"{text} {burnt}"


def advice_lines(
    advice: Iterable[ChainAdvice], headers: Sequence[IncidentHeader]
) -> tuple[AdviceLine, ...]:
    """Return advice with the newest incident that each rests on; headers are the newest first."""
    return tuple(
        AdviceLine(text=_advice(each), incident=_incident(each, headers)) for each in advice
    )


def _advice(each: ChainAdvice) -> str:
    told = {"n": each.times, "host": each.host, "cause": spoken(each.cause or "").name}
    if each.kind is AdviceKind.LEAVE_OUT_HOST:
        return _("%(host)s was blamed %(n)s times: leave it out.") % told
    if each.kind is AdviceKind.MEND_CAUSE:
        return _("%(cause)s, %(n)s times: another start as it was will not help.") % told
    return _("%(n)s retries without progress: do not start it again as it was.") % told


def _incident(each: ChainAdvice, headers: Sequence[IncidentHeader]) -> str:
    for header in headers:
        hosts = {str(part["host"]) for part in (header.culprits or ()) if part.get("host")}
        is_host = each.kind is AdviceKind.LEAVE_OUT_HOST and each.host in hosts
        is_cause = each.kind is AdviceKind.MEND_CAUSE and header.incident.cause == each.cause
        if is_host or is_cause:
            return header.incident.public_id
    return ""


def _retry(retry: Retry) -> RetryRow:
    return RetryRow(
        attempt=f"#{retry.run.number}",
        gap=words.duration(max(0.0, retry.gap_seconds)),
        progress=progress_text(retry),
        gpu_hours=hours_text(retry.gpu_hours, [retry]),
    )
