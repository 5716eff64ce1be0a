"""Step 10: what is missing and who holds it, what to do, and the story in order."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.model import (
    Action,
    Coverage,
    CoverageState,
    Device,
    Evidence,
    Hypothesis,
    Layer,
    Missing,
    Observation,
    Reading,
    Role,
    Statement,
    Stream,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.observed import LONG_AGO, LOST_EACH_OTHER, UNTIED

STREAM_SOURCES = {
    Stream.SESSION: "session-log",
    Stream.KERNEL: "kernel-log",
    Stream.SCHEDULER: "scheduler-log",
    Stream.STORAGE: "storage-log",
    Stream.FABRIC: "fabric-log",
    Stream.BMC: "bmc-log",
    Stream.ALERTS: "alerts",
}
HOLDERS = {
    "session-log": "tenant",
    "kernel-log": "operator",
    "scheduler-log": "platform",
    "storage-log": "storage_vendor",
    "fabric-log": "network_vendor",
    "bmc-log": "operator",
    "alerts": "operator",
    "metrics": "operator",
    "flight-recorder": "tenant",
}
GENERAL = {
    "kernel-log": statement("shows-host-error"),
    "session-log": statement("shows-first-stop"),
    "scheduler-log": statement("says-who-ended-it"),
    "fabric-log": statement("shows-port-errors"),
    "metrics": statement("shows-odd-member"),
    "flight-recorder": statement("shows-collectives"),
}
RUN = Missing(
    source="scheduler-log", hosts=(), held_by="platform", would=statement("says-when-it-ran")
)
DATED = statement("says-when-that-was")
PER_HOST = frozenset({"session-log", "kernel-log"})
OF_SERVERS = frozenset({"storage-log"})
# Told of where it was there; nobody misses it.
WELCOME = frozenset({"alerts"})


def coverage(
    *,
    readings: Sequence[Reading],
    has_metrics: bool,
    hosts: frozenset[str],
    expected: Sequence[Coverage],
    aliases: Mapping[str, str],
) -> tuple[Coverage, ...]:
    """Return which sources were there; what the caller expected overrides what is seen."""
    said = {one.source: one for one in expected}
    present: dict[str, set[str]] = defaultdict(set)
    for reading in readings:
        for extent in reading.extents:
            stream = reading.origin.stream or extent.stream or Stream.SESSION
            host = extent.host or reading.origin.host or ""
            present[STREAM_SOURCES[stream]].add(aliases.get(host, host.split(".", 1)[0]))
    if has_metrics:
        present["metrics"] = set()
    return tuple(
        said.get(source) or _seen(source, present, hosts)
        for source in sorted({*said, *STREAM_SOURCES.values(), "metrics"} - WELCOME | {*present})
    )


def _seen(source: str, present: Mapping[str, set[str]], hosts: frozenset[str]) -> Coverage:
    if source not in present:
        missing = tuple(sorted(hosts)) if source in PER_HOST else ()
        return Coverage(
            source=source,
            state=CoverageState.ABSENT,
            hosts_expected=len(hosts) if source in PER_HOST else 0,
            missing_hosts=missing,
        )
    known = present[source] - {""}
    if source in PER_HOST and hosts:
        known &= hosts  # logs of bystanders are no coverage of the session
    is_whole = source not in PER_HOST or not known
    gap = () if is_whole else tuple(sorted(hosts - known))
    return Coverage(
        source=source,
        state=CoverageState.PRESENT,
        hosts_present=len(known),
        hosts_expected=0 if source not in PER_HOST else len(hosts | known),
        missing_hosts=gap,
    )


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


def unknown_missing(
    *, coverage: Sequence[Coverage], suspects: Sequence[str], hosts: frozenset[str]
) -> tuple[Missing, ...]:
    """Return what would settle a failure of which only its echoes are known, and who holds it."""
    state = {one.source: one for one in coverage}
    found: list[Missing] = []
    for source, would in GENERAL.items():
        seen = state.get(source)
        is_there = seen is not None and seen.state is CoverageState.PRESENT
        lacking = frozenset(seen.missing_hosts if seen else ())
        gap = tuple(host for host in (suspects or sorted(hosts)) if host in lacking)
        if not is_there or gap:
            wanted = gap or tuple(suspects) or tuple(sorted(hosts))
            found.append(Missing(source=source, hosts=wanted, held_by=HOLDERS[source], would=would))
    return tuple(found)


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


def actions(
    *,
    verdict: Verdict,
    hypotheses: Sequence[Hypothesis],
    causes: Mapping[str, Cause],
    missing: Sequence[Missing],
    observations: Sequence[Observation] = (),
) -> tuple[Action, ...]:
    """Return who does what next: the cause's first action, or asking for what is missing."""
    if verdict.status is VerdictStatus.NO_FAILURE:
        return ()
    if verdict.status is VerdictStatus.UNKNOWN:
        return tuple(_asking(one) for one in missing)
    cause = causes[verdict.cause]
    tied = [one for one in hypotheses[0].supporting if one.family == LOST_EACH_OTHER]
    named = verdict.culprits or tied
    hosts = tuple(sorted({one.host for one in named if one.host}))
    owner = cause.owners[0] if cause.owners else "tenant"
    wanted = hypotheses[0].missing[:1] if verdict.status is VerdictStatus.POSSIBLE else ()
    here = [one for one in observations if one.standing == "joined" and one.host in {None, *hosts}]
    lines = [one.event for one in hypotheses[0].supporting if one.event]
    told = [*((e.signature, e.fields) for e in lines), *((one.sign, one.fields) for one in here)]
    first = Action(statement=cause.action_by(told=told), owner=owner, hosts=hosts)
    return (first, *(_asking(one) for one in wanted))


def _asking(missing: Missing) -> Action:
    told = statement("provide", source=missing.source, would=missing.would)
    return Action(statement=told, owner=missing.held_by, hosts=missing.hosts)


def clock_slack(*, observations: Iterable[Observation]) -> timedelta:
    """Return the largest clock error among the cascade lines that date the failure."""
    return max(
        (one.error for one in observations if one.role is Role.CASCADE), default=timedelta(0)
    )
