"""What each observation weighs for each cause: its symptom, time, place and order."""

from collections.abc import Mapping, Sequence

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.detection.known_detectors import anomaly_kinds
from apps.diagnosis.model import Observation, Role, Severity, Statement, statement
from apps.diagnosis.observed import METRIC, measurement
from apps.diagnosis.reasoning.verdict.rank import undated_faults
from apps.diagnosis.reasoning.verdict.rank.pieces import SHARED_PARTS, Context, ObservedPiece
from apps.diagnosis.reasoning.verdict.rank.placed import beginning, in_order, placed
from apps.diagnosis.reasoning.verdict.rank.signs import fits, listed_signs, signs, signs_by_host
from apps.diagnosis.signatures.load import load_catalog

# What a signature that no cause lists speaks with for the causes it names itself, strongest first.
NAMED = {Role.INITIATING: 5.4, Role.CONFIRMATION: 4.4}
NAMED_FADE = (1.0, 0.6, 0.4)
FATAL_BONUS = 0.3
# What a comparison finds on one family of metrics alone is a hint: chance finds such things, too.
ALONE = 0.6
# What each role leaves of the weight of a measured fact.
MEASURED_ROLE = {Role.INITIATING: 1.0, Role.CONFIRMATION: 0.8, Role.CONTEXT: 0.5}
# What failed there before is a prior: never enough for a verdict by itself.
HISTORY = "history:repeat"
HISTORY_ONCE, HISTORY_AGAIN = 0.5, 0.8


def weigh(
    *, observations: Sequence[Observation], causes: Mapping[str, Cause], context: Context
) -> dict[str, list[ObservedPiece]]:
    """Return the pieces that speak for or against each cause."""
    standing = [
        one for one in observations if one.standing == "joined" and one.role is not Role.PROGRESS
    ]
    listed = listed_signs(causes)
    on_host = signs_by_host(standing)
    pieces = {
        slug: [
            piece
            for one in standing
            if (piece := _piece(one, cause, listed, on_host, context)) is not None
        ]
        for slug, cause in causes.items()
    }
    first = beginning(pieces, context)
    ordered = {slug: [in_order(one, first) for one in found] for slug, found in pieces.items()}
    return {
        slug: [*found, *undated_faults.against(pieces=found, context=context)]
        for slug, found in ordered.items()
    }


def _piece(
    one: Observation,
    cause: Cause,
    listed: frozenset[str],
    on_host: Mapping[str | None, set[str]],
    context: Context,
) -> ObservedPiece | None:
    if one.sign == HISTORY:
        return _past(one, cause)
    names = signs(one)
    matching = [
        symptom
        for symptom in cause.symptoms
        if symptom.sign in names
        and fits(symptom, one)
        and (not symptom.near or symptom.near in on_host[one.host])
    ]
    if matching:
        best = max(matching, key=lambda each: abs(each.weight))
        weight = best.weight
        if weight >= 0:
            weight = placed(weight, one, best.lag_seconds, cause, context)
        return ObservedPiece(
            observation=one,
            weight=weight,
            statement=cause.symptom_fact(symptom=best, fields=one.fields),
            is_generic=best.is_generic and best.weight >= 0,
            family=best.family or best.text,
        )
    is_measured = one.sign.startswith(METRIC)
    kind = anomaly_kinds().get(one.sign.removeprefix(METRIC)) if is_measured else None
    if kind and cause.slug in one.causes and one.role in MEASURED_ROLE:
        weight = kind.weight * MEASURED_ROLE[one.role] * _fade(cause, one)
        if kind.is_compared and one.fields.get("families") == "1":
            weight *= ALONE
        weight = placed(weight, one, 0.0, cause, context)
        return ObservedPiece(
            observation=one,
            weight=weight,
            statement=_measured(one),
            is_generic=False,
            family=_family(one),
        )
    # A completion status says what it says; the line's family may not speak for every status.
    if (
        names & listed
        or "wc_status" in one.fields
        or cause.slug not in one.causes
        or one.role not in NAMED
    ):
        return None
    weight = NAMED[one.role] * _fade(cause, one) + _gravity(one)
    weight = placed(weight, one, 0.0, cause, context)
    return ObservedPiece(
        observation=one,
        weight=weight,
        statement=_told(one, cause),
        is_generic=False,
        family=_meaning(one),
    )


def _past(one: Observation, cause: Cause) -> ObservedPiece | None:
    if cause.slug not in one.causes:
        return None
    weight = HISTORY_ONCE if one.count == 1 else HISTORY_AGAIN
    told = one.statement or statement("cause-meaning", cause=cause.slug)
    return ObservedPiece(
        observation=one, weight=weight, statement=told, is_generic=True, family=HISTORY
    )


def _fade(cause: Cause, one: Observation) -> float:
    """The first cause that an observation names is the one it speaks for most."""
    return NAMED_FADE[min(one.causes.index(cause.slug), len(NAMED_FADE) - 1)]


def _family(one: Observation) -> str:
    return one.anomaly.family if one.anomaly else one.sign


def _told(one: Observation, cause: Cause) -> Statement:
    """Return what a line says, with its part where nothing but the number of the error is known."""
    told = one.statement or statement("cause-meaning", cause=cause.slug)
    known, part = load_catalog().get(one.sign), one.fields.get("pci")
    is_by_number = known is not None and known.is_fallback
    return statement("of-part", what=told, part=part) if part and is_by_number else told


def _meaning(one: Observation) -> str:
    """Return what makes lines tell the same fact: their meaning, with the number of the error."""
    known = load_catalog().get(one.sign)
    return known.meaning_of(fields=one.fields) if known else one.sign


def _measured(one: Observation) -> Statement:
    anomaly = one.anomaly
    if anomaly is None:
        return measurement(kind=one.sign.removeprefix(METRIC), signal=one.fields.get("signal"))
    told = measurement(kind=anomaly.kind, signal=anomaly.signal)
    if anomaly.host_count <= 1 or anomaly.entity.kind not in SHARED_PARTS:
        return told
    # What many clients see of one part is inferred from them, not measured at the part.
    part = statement("part", kind=anomaly.entity.kind, name=anomaly.entity.name)
    return statement("seen-of-part", what=told, part=part, count=anomaly.host_count)


def _gravity(one: Observation) -> float:
    return FATAL_BONUS if any(e.severity is Severity.FATAL for e in one.events) else 0.0
