"""Retry chains and recoveries over a time, as the page shows them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.reliability.facade.recoveries import RecoveryList
from apps.reliability.facade.retry_chains import ChainList, ListedChain
from apps.training.retries.chains import ChainOutcome
from apps.training.retries.retry_rates import ChainShare, RetryRates
from apps.web import words
from apps.web.display.choices import SegmentLink
from apps.web.display.figures import NO_NUMBER, at_least, percent
from apps.web.display.instants import day_text
from apps.web.retries.asked import OUTCOMES, AskedRetries
from apps.web.retries.page import (
    ListedChainRow,
    RateRow,
    RecoverySummary,
    RetriesPage,
    StageRow,
)
from apps.web.session.retries.chain_words import (
    OUTCOMES as OUTCOME_WORDS,
)
from apps.web.session.retries.chain_words import advice_lines, chain_card, how_text, loop_text
from apps.web.session.retries.recovery_rows import STAGES
from apps.web.session.run_words import seconds_text


def retries_page(
    *,
    asked: AskedRetries,
    found: ChainList,
    shown: Sequence[ListedChain],
    recoveries: RecoveryList,
    now: datetime,
) -> RetriesPage:
    """Return the page; `shown` are the chains of the part of the list that is looked at."""
    return RetriesPage(
        first_day=asked.first_day.isoformat(),
        last_day=asked.last_day.isoformat(),
        cluster=asked.cluster,
        outcome=asked.outcome,
        changed=asked.changed_at.date().isoformat() if asked.changed_at else "",
        clusters=asked.clusters,
        outcomes=tuple(_outcomes(asked)),
        rates=tuple(_rates(found.rates)),
        difference=_difference(found.rates),
        rows=tuple(_row(each, dict(asked.clusters), now) for each in shown),
        chain_count=len(found.chains),
        recoveries=_recoveries(recoveries, asked),
        notes=tuple(_notes(found)),
        query=query_of(asked),
        next_query="",
    )


def query_of(asked: AskedRetries, **changed: str) -> str:
    """Return the address of the same, changed in something."""
    told = {
        "first_day": asked.first_day.isoformat(),
        "last_day": asked.last_day.isoformat(),
        "cluster": asked.cluster,
        "outcome": asked.outcome,
        "changed": asked.changed_at.date().isoformat() if asked.changed_at else "",
        **changed,
    }
    return "?" + urlencode({name: word for name, word in told.items() if word or name == "cluster"})


def _outcomes(asked: AskedRetries) -> Iterator[SegmentLink]:
    for each in OUTCOMES:
        text = str(OUTCOME_WORDS[ChainOutcome(each)]) if each else _("All")
        yield SegmentLink(
            text=words.sentence_case(text),
            query=query_of(asked, outcome=each),
            is_on=each == asked.outcome,
        )


def _rates(rates: RetryRates) -> Iterator[RateRow]:
    for name, share in ((_("Automatic"), rates.automatic), (_("By hand"), rates.manual)):
        yield _rate(name, share)


def _rate(name: str, share: ChainShare) -> RateRow:
    hit = share.recovered
    low, high = hit.interval
    return RateRow(
        name=name,
        share="" if hit.rate is None else percent(hit.rate),
        interval="" if hit.rate is None else f"{low * 100:.1f} – {high * 100:.1f} %",  # noqa: RUF001  a span
        n=_("%(hits)s of %(n)s") % {"hits": hit.hits, "n": hit.n},
        attempts=f"{share.attempts:,}",
        gap=_gap(share),
        gpu_hours=f"{share.gpu_hours:,.0f}",
        burnt=_burnt(share),
    )


def _burnt(share: ChainShare) -> str:
    if share.burnt_gpu_hours is None:
        return NO_NUMBER
    return at_least(f"{share.burnt_gpu_hours:,.0f}", is_bound=bool(share.burnt_unknown))


def _gap(share: ChainShare) -> str:
    if share.gap_seconds is None:
        return ""
    low, middle, high = (words.duration(max(0.0, each)) for each in share.gap_seconds)
    return _("%(middle)s (%(low)s to %(high)s)") % {"low": low, "middle": middle, "high": high}


def _difference(rates: RetryRates) -> str:
    """Return what may be said of both shares beside each other, no more."""
    if not rates.automatic.recovered.n or not rates.manual.recovered.n:
        return _("Chains of one kind alone: nothing to compare.")
    told = {"p": f"{rates.p_value:.2g}", "ratio": f"{rates.ratio or 0:.2f}"}
    if rates.is_significant:
        text = _("Automatic recovers %(ratio)s times as often: significant (Fisher, p = %(p)s).")
        return (text if rates.ratio else _("They differ: significant (Fisher, p = %(p)s).")) % told
    return _("The difference is not significant (Fisher, p = %(p)s).") % told


def _row(each: ListedChain, clusters: Mapping[str, str], now: datetime) -> ListedChainRow:
    chain = each.chain
    more = len(each.sessions) - 1
    text = ngettext("and %(n)s more session", "and %(n)s more sessions", more)
    return ListedChainRow(
        card=chain_card(chain, is_own=each.is_own, is_known=each.is_known),
        session=each.sessions[0],
        job=chain.stopped.job,
        sessions_more=text % {"n": more} if more else "",
        cluster=clusters.get(each.cluster, each.cluster),
        when=day_text(chain.stopped.ends_at, now=now) if chain.stopped.ends_at else "",
        how=how_text(chain),
        is_loop=each.loop is not None,
        loop=loop_text(each.loop),
        advice=advice_lines(each.advice, ()),
        incident=each.incidents[-1] if each.incidents else "",
    )


def _recoveries(found: RecoveryList, asked: AskedRetries) -> RecoverySummary:
    whole = [each for each in found.recoveries if each.is_complete]
    return RecoverySummary(
        count=_("%(whole)s of %(all)s reached another step")
        % {"whole": len(whole), "all": len(found.recoveries)}
        if found.recoveries
        else "",
        whole_count=len(whole),
        median="" if found.median_seconds is None else seconds_text(found.median_seconds),
        comparison=_comparison(found),
        is_clear=bool(found.change and found.change.is_clear),
        stages=tuple(
            StageRow(
                name=str(STAGES[each.stage]),
                before=_length(each.before_seconds),
                after=_length(each.after_seconds),
            )
            for each in found.stages
        ),
        note=_recovery_note(found, asked),
    )


def _length(seconds: float | None) -> str:
    return "" if seconds is None else seconds_text(seconds)


def _comparison(found: RecoveryList) -> str:
    change = found.change
    if change is None:
        return ""
    low, high = (f"{each * 100:+.0f} %" for each in change.interval)
    told = {
        "change": f"{change.change * 100:+.0f} %",
        "low": low,
        "high": high,
        "before": seconds_text(change.before_seconds),
        "after": seconds_text(change.after_seconds),
        "n": change.before_count,
        "m": change.after_count,
    }
    text = _(
        "%(change)s (95 %%: %(low)s to %(high)s): a mean of %(before)s before (%(n)s) and "
        "%(after)s since (%(m)s)."
    )
    doubt = "" if change.is_clear else " " + _("The interval leaves open whether it changed.")
    return text % told + doubt


def _recovery_note(found: RecoveryList, asked: AskedRetries) -> str:
    if not found.recoveries:
        return _("No recovery of your own sessions is known in this time.")
    if asked.changed_at and found.change is None:
        return _("On one side of the date no recovery reached another step: nothing to compare.")
    return ""


def _notes(found: ChainList) -> Iterator[str]:
    if not found.reads_sessions:
        yield _("Your part in this cluster does not read sessions: chains are hidden by policy.")
    if found.unknown_count:
        is_own = all(each.is_own for each in found.chains)
        text = (
            _untold(found.unknown_count)
            if is_own
            else ngettext(
                "Of %(n)s chain its tenant alone knows what became: it is in no share.",
                "Of %(n)s chains their tenants alone know what became: they are in no share.",
                found.unknown_count,
            )
        )
        yield text % {"n": found.unknown_count}
    if found.left_out_count:
        yield _("Earlier attempts are left out: there are too many in this time.")


def _untold(count: int) -> str:
    return ngettext(
        "Of %(n)s chain no step or save was told: what became of it is not known, it is in no "
        "share.",
        "Of %(n)s chains no step or save was told: what became of them is not known, they are in "
        "no share.",
        count,
    )
