"""Part of step 10: what each hypothesis blames and lacks, and why lesser ones are ruled out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.model import (
    Coverage,
    CoverageState,
    Device,
    Evidence,
    Hypothesis,
    Layer,
    Missing,
    Observation,
    Role,
    Statement,
    statement,
)
from apps.diagnosis.observed import LONG_AGO, UNTIED

RUN = Missing(
    source="scheduler-log", hosts=(), held_by="platform", would=statement("says-when-it-ran")
)
DATED = statement("says-when-that-was")
OF_SERVERS = frozenset({"storage-log"})


def explain(
    *,
    ranked: Sequence[tuple[Hypothesis, tuple[str, ...]]],
    causes: Mapping[str, Cause],
    coverage: Sequence[Coverage],
    suspects: Sequence[str],
    observations: Sequence[Observation],
    culprits_of: Callable[[Hypothesis, Sequence[str]], tuple[Device, ...]],
) -> tuple[Hypothesis, ...]:
    """Return the hypotheses with culprits, what is missing, and why lesser ones are ruled out."""
    best = ranked[0][0] if ranked else None
    explained: list[Hypothesis] = []
    for hypothesis, hosts in ranked:
        cause = causes[hypothesis.cause]
        explained.append(
            replace(
                hypothesis,
                culprits=culprits_of(hypothesis, hosts),
                missing=(
                    *_tying(hypothesis),
                    *_missing(cause, coverage, hosts or tuple(suspects)),
                ),
                ruled_out_because=_ruled_out(hypothesis, best),
            )
        )
    explained.extend(_left_out(observations, causes, {one.cause for one in explained}))
    return tuple(explained)


def _tying(hypothesis: Hypothesis) -> tuple[Missing, ...]:
    """Return what would tell whether a fault was of the session's own day and hosts."""
    families = {one.family for one in hypothesis.opposing}
    if LONG_AGO in families:
        hosts = tuple(sorted({one.host for one in hypothesis.supporting if one.host}))
        return (Missing(source="kernel-log", hosts=hosts, held_by="operator", would=DATED),)
    return (RUN,) if UNTIED in families else ()


def _missing(
    cause: Cause, coverage: Sequence[Coverage], hosts: Sequence[str]
) -> tuple[Missing, ...]:
    state = {one.source: one for one in coverage}
    found: list[Missing] = []
    for settling in cause.settles:
        # The hosts of the session are clients of what serves them.
        asked = () if settling.source in OF_SERVERS else tuple(hosts)
        seen = state.get(settling.source)
        if seen is not None and seen.state is CoverageState.PRESENT:
            lacking = frozenset(seen.missing_hosts)
            gap = tuple(host for host in asked if host in lacking)
            if not gap:
                continue
            found.append(
                Missing(
                    source=settling.source,
                    hosts=gap,
                    held_by=settling.held_by,
                    would=cause.would(source=settling.source),
                )
            )
        else:
            found.append(
                Missing(
                    source=settling.source,
                    hosts=asked,
                    held_by=settling.held_by,
                    would=cause.would(source=settling.source),
                )
            )
    return tuple(found)


def _ruled_out(hypothesis: Hypothesis, best: Hypothesis | None) -> Statement | None:
    if best is None or hypothesis.cause == best.cause or hypothesis.cause_probability >= 0.2:
        return None
    if hypothesis.opposing:
        return hypothesis.opposing[0].statement
    strongest = max(best.supporting, key=lambda one: one.weight, default=None)
    if strongest is None:
        return statement("explained-better-by-cause", cause=best.cause)
    return statement("explained-better", cause=best.cause, by=strongest.statement)


def _left_out(
    observations: Sequence[Observation], causes: Mapping[str, Cause], shown: set[str]
) -> list[Hypothesis]:
    """Keep visible what looked like a cause and was left out, with the reason."""
    found: dict[str, Hypothesis] = {}
    for one in observations:
        slug = next((slug for slug in one.causes if slug in causes), None)
        is_known = slug is None or slug in shown or slug in found
        if one.because is None or slug is None or is_known:
            continue
        event = one.events[0] if one.events else None
        opposing = Evidence(
            statement=one.because,
            weight=-2.0,
            layer=causes[slug].layer,
            at=one.at,
            host=one.host,
            event=event,
            anomaly=one.anomaly,
            source=event.line.origin.source if event else None,
            stream=(event.line.stream or event.line.origin.stream) if event else None,
            line=event.line.number if event else None,
        )
        found[slug] = Hypothesis(
            layer=causes[slug].layer,
            cause=slug,
            probability=0.0,
            cause_probability=0.0,
            opposing=(opposing,),
            ruled_out_because=one.because,
        )
    return [found[slug] for slug in sorted(found)]


def with_open_question(
    *, hypotheses: Sequence[Hypothesis], missing: Sequence[Missing]
) -> tuple[Hypothesis, ...]:
    """Put the list of what would settle it beside the open question itself."""
    best = max((one.probability for one in hypotheses), default=0.0)
    open_question = Hypothesis(
        layer=Layer.UNKNOWN,
        cause="unknown",
        probability=round(1 - best, 3),
        cause_probability=round(1 - best, 3),
        missing=tuple(missing),
    )
    return (*hypotheses, open_question)


def clock_slack(*, observations: Iterable[Observation]) -> timedelta:
    """Return the largest clock error among the cascade lines that date the failure."""
    return max(
        (one.error for one in observations if one.role is Role.CASCADE), default=timedelta(0)
    )
