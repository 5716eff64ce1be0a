"""Logs whose zone no line states: the answer of each zone they may be in → one, and how sure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.diagnose.zone_facts import assumed_zone, compared_zones
from apps.diagnosis.model import (
    Diagnosis,
    Evidence,
    Hypothesis,
    Stream,
    Verdict,
    VerdictStatus,
    ZoneReading,
)
from apps.diagnosis.reasoning.explanation import actions, story
from apps.diagnosis.reasoning.timing.clocks.voices import OpenZone
from apps.diagnosis.reasoning.verdict import gate

NAMED = frozenset({VerdictStatus.LIKELY, VerdictStatus.POSSIBLE})
# Evidence this heavy is what an answer rests on.
STRONG = 4.0
# Of its probability, what an explanation keeps that rests on a zone which nobody states: an old
# fault lies at a whole hour by chance, too.
AS_ANSWER, AS_WEAK_ANSWER, AS_GUESS = 0.75, 0.6, 0.4
MOST_SURE = 0.79
FAMILY = "zone"


@dataclass(frozen=True, slots=True, kw_only=True)
class InZone:
    """What was concluded with some logs in another zone than was taken."""

    zone: OpenZone
    diagnosis: Diagnosis


def settled(*, taken: Diagnosis, zones: Sequence[OpenZone], others: Sequence[InZone]) -> Diagnosis:
    """Return one answer from those of all zones: nothing is ruled out by a zone that was assumed.

    `zones` are those that `taken` itself rests on by the word of one host.
    """
    if taken.verdict.status is VerdictStatus.NO_FAILURE:
        return taken
    unsure = next((one for one in zones if _is_named(taken) and _witness(taken, one)), None)
    if unsure is not None:
        return _capped(InZone(zone=unsure, diagnosis=taken))
    found = [
        one for one in others if _is_named(one.diagnosis) and _witness(one.diagnosis, one.zone)
    ]
    return _of_both(taken, found) if found and not _is_dated(taken) else taken


def _of_both(taken: Diagnosis, found: Sequence[InZone]) -> Diagnosis:
    best = _agreed([one for one in found if one.zone.is_better])
    if best is None:
        return _with_guesses(taken, found)
    led = _as_answer(best)
    if led.verdict.cause == taken.verdict.cause:
        return _at_least(led, taken.verdict)
    if taken.verdict.status is VerdictStatus.LIKELY:
        return _with_guesses(_at_most(taken), found)
    return led if _is_named(led) else _with_guesses(taken, found)


def _is_named(diagnosis: Diagnosis) -> bool:
    return diagnosis.verdict.status in NAMED


def _witness(diagnosis: Diagnosis, zone: OpenZone) -> Evidence | None:
    """Return what the answer rests on of those that only meet the stop in this zone."""
    sources = {source for source, _ in zone.voices}
    strong = [
        one
        for one in diagnosis.hypotheses[0].supporting
        if one.at and one.strength >= STRONG and one.source in sources
    ]
    return max(strong, key=lambda one: one.strength, default=None)


def _is_dated(taken: Diagnosis) -> bool:
    """Say whether the answer rests on something else that comes with the stop as it is taken."""
    return _is_named(taken) and any(
        one.at and one.strength >= STRONG and one.stream is not Stream.SESSION
        for one in taken.hypotheses[0].supporting
    )


def _agreed(found: Sequence[InZone]) -> InZone | None:
    """Return the answer of the zone where most coincides; several may agree on one."""
    most = max((one.zone.support for one in found), default=0)
    best = [one for one in found if one.zone.support == most]
    said = {(one.diagnosis.verdict.cause, one.diagnosis.verdict.culprits) for one in best}
    return best[0] if len(said) == 1 else None


def _as_answer(one: InZone) -> Diagnosis:
    """Return the answer of a zone, less sure by what speaks for no other."""
    first = _less_sure(one, AS_WEAK_ANSWER if one.zone.is_weak else AS_ANSWER)
    return _answered(one.diagnosis, first, gate.status_of(first), one)


def _capped(one: InZone) -> Diagnosis:
    """Return an answer that rests on a zone which one host's fault asked for."""
    first = _less_sure(one, 1.0)
    return _answered(one.diagnosis, first, VerdictStatus.POSSIBLE, one)


def _at_most(taken: Diagnosis) -> Diagnosis:
    first = taken.hypotheses[0]
    first = replace(
        first,
        probability=min(first.probability, MOST_SURE),
        cause_probability=min(first.cause_probability, MOST_SURE),
    )
    return _answered(taken, first, VerdictStatus.POSSIBLE, None)


def _at_least(led: Diagnosis, verdict: Verdict) -> Diagnosis:
    """Return an answer that both readings give no less sure than the first of them was."""
    if led.verdict.probability >= verdict.probability:
        return led
    first = replace(
        led.hypotheses[0],
        probability=verdict.probability,
        cause_probability=verdict.cause_probability,
    )
    return _answered(led, first, verdict.status, None)


def _answered(
    diagnosis: Diagnosis, first: Hypothesis, status: VerdictStatus, one: InZone | None
) -> Diagnosis:
    verdict = replace(
        diagnosis.verdict,
        status=status,
        probability=first.probability,
        cause_probability=first.cause_probability,
    )
    hypotheses = (first, *diagnosis.hypotheses[1:])
    return replace(
        diagnosis,
        verdict=verdict,
        hypotheses=hypotheses,
        actions=actions.actions(
            verdict=verdict, hypotheses=hypotheses, causes=load_causes(), missing=()
        ),
        attempts=tuple(
            replace(each, verdict=verdict) if each.is_answer else each
            for each in diagnosis.attempts
        ),
        zones=(*diagnosis.zones, _reading(one, is_taken=True)) if one else diagnosis.zones,
    )


def _with_guesses(taken: Diagnosis, found: Sequence[InZone]) -> Diagnosis:
    """Return the answer with what the other zones say beside it, instead of ruled out."""
    standing = {one.cause for one in taken.hypotheses if not one.ruled_out_because}
    guesses = {
        one.diagnosis.verdict.cause: _less_sure(one, AS_GUESS)
        for one in reversed(found)
        if one.diagnosis.verdict.cause not in standing
    }
    place = 1 if _is_named(taken) else 0
    rest = [one for one in taken.hypotheses if one.cause not in guesses]
    return replace(
        taken,
        hypotheses=(*rest[:place], *reversed(guesses.values()), *rest[place:]),
        zones=tuple(_reading(one, is_taken=False) for one in found),
    )


def _less_sure(one: InZone, share: float) -> Hypothesis:
    first = one.diagnosis.hypotheses[0]
    probability = round(min(first.probability * share, MOST_SURE), 3)
    cause_probability = round(min(first.cause_probability * share, MOST_SURE), 3)
    lost = _logit(probability) - _logit(first.probability)
    return replace(
        first,
        probability=probability,
        cause_probability=cause_probability,
        opposing=(*first.opposing, *_doubts(one, lost)),
    )


def _logit(share: float) -> float:
    return log(share / (1 - share))


def _doubts(one: InZone, lost: float) -> list[Evidence]:
    """Return what speaks against what rests on a zone, for the holders of both logs."""
    witness, reading = _witness(one.diagnosis, one.zone), _reading(one, is_taken=True)
    if witness is None:
        return []
    compared = compared_zones(reading=reading)
    told = [replace(witness, statement=compared, strength=0.0, family=FAMILY, is_generic=False)]
    own = next((m for m in one.diagnosis.timeline if m.stream is Stream.SESSION), None)
    if own is not None and reading.stream is Stream.SESSION:
        assumed = assumed_zone(reading=reading)
        told.append(Evidence(statement=assumed, weight=0.0, source=own.source, family=FAMILY))
    share = round(min(lost, 0.0) / len(told), 2)
    return [replace(each, weight=share) for each in told]


def _reading(one: InZone, *, is_taken: bool) -> ZoneReading:
    witness, stop = _witness(one.diagnosis, one.zone), _stop(one.diagnosis)
    return ZoneReading(
        stream=one.zone.stream,
        shift=one.zone.shift,
        offset=one.zone.offset,
        guessed=one.zone.guessed,
        cause=one.diagnosis.hypotheses[0].cause,
        gap=witness.at - stop if witness and witness.at and stop else timedelta(0),
        host=witness.host if witness else None,
        is_taken=is_taken,
    )


def _stop(diagnosis: Diagnosis) -> datetime | None:
    """Return when the session began to fail, whatever broke before."""
    told = (one.at for one in diagnosis.timeline if one.statement == story.BEGAN_TO_FAIL)
    return next(told, diagnosis.failed_at)
