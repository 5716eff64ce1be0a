"""Log-odds of all causes → hypotheses; two causes may both stand."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import exp

from apps.diagnosis.causes.load import Cause, load_calibration
from apps.diagnosis.model import Evidence, Hypothesis, Layer, Observation
from apps.diagnosis.observed import UNTIED
from apps.diagnosis.reasoning.verdict.rank.combine import Score, score
from apps.diagnosis.reasoning.verdict.rank.pieces import SHARED_PARTS, Context, ObservedPiece
from apps.diagnosis.reasoning.verdict.rank.weigh import weigh

LEAST_SHOWN = 0.01
# Sure by itself: such causes on different hosts don't take the probability from each other.
STANDS_ALONE, STRONG = 1.4, 5.0
# When two stand alike, nobody knows which of them the parties will settle on.
ALIKE, MOST_BESIDE = 3.0, 0.79


def rank(
    *, observations: Sequence[Observation], causes: Mapping[str, Cause], context: Context
) -> list[tuple[Hypothesis, tuple[str, ...]]]:
    """Return hypotheses, most probable first, each with the hosts its evidence stands on."""
    pieces = weigh(observations=observations, causes=causes, context=context)
    scored = {
        slug: score(cause=causes[slug], pieces=found, phase=context.phase)
        for slug, found in pieces.items()
    }
    odds = {slug: exp(min(one.logit, 40.0)) for slug, one in scored.items()}
    by_layer: dict[Layer, float] = defaultdict(float)
    for slug in sorted(odds):
        by_layer[causes[slug].layer] += odds[slug]
    top = max(
        sorted(by_layer), key=lambda layer: by_layer[layer] if layer is not Layer.UNKNOWN else 0
    )
    ranked = sorted(odds, key=lambda slug: (-odds[slug], slug))
    # The best cause of the best layer comes first, whatever single cause is ahead of it.
    leader = next(slug for slug in ranked if causes[slug].layer is top)
    ranked = [leader, *(slug for slug in ranked if slug != leader)]
    beside = _beside(leader, ranked, scored, causes)
    whole = sum(odds[slug] for slug in sorted(odds))
    certain = load_calibration().most_certain
    found: list[tuple[Hypothesis, tuple[str, ...]]] = []
    for slug in ranked:
        one, cause = scored[slug], causes[slug]
        if slug == "unknown" or not one.supporting or odds[slug] / whole < LEAST_SHOWN:
            continue
        apart = _apart(slug, leader, beside)
        rest = whole - sum(odds[other] for other in sorted(apart))
        is_open = _is_matched(slug, apart, scored) or _is_untied(one)
        most = MOST_BESIDE if is_open else certain
        hypothesis = Hypothesis(
            layer=cause.layer,
            cause=slug,
            probability=round(min(by_layer[cause.layer] / rest, most), 3),
            cause_probability=round(min(odds[slug] / rest, most), 3),
            supporting=tuple(_evidence(piece, cause) for piece in one.supporting),
            opposing=tuple(_evidence(piece, cause) for piece in one.opposing),
            prior=round(one.prior, 2),
            stands_beside=slug in beside,
        )
        found.append((hypothesis, one.hosts))
    return found


def _beside(
    leader: str, ranked: Sequence[str], scored: Mapping[str, Score], causes: Mapping[str, Cause]
) -> frozenset[str]:
    """Return the causes that stand by themselves beside the first: other layers, other hosts."""
    if not _stands(scored[leader]):
        return frozenset()
    return frozenset(
        slug
        for slug in ranked
        if causes[slug].layer is not causes[leader].layer
        and slug != "unknown"
        and _stands(scored[slug])
        and _are_apart(scored[leader], causes[leader], scored[slug], causes[slug])
    )


def _stands(one: Score) -> bool:
    return one.logit >= STANDS_ALONE and one.strength >= STRONG


def _are_apart(one: Score, cause: Cause, other: Score, other_cause: Cause) -> bool:
    """Say whether neither can be the other's consequence: no host tells of both."""
    if not one.told_by or not other.told_by:
        return False
    if cause.culprit in SHARED_PARTS or other_cause.culprit in SHARED_PARTS:
        # A server that only the broken host misses is missed because of that host.
        return not (one.told_by <= other.told_by and other.told_by <= one.told_by) and (
            len(one.told_by | other.told_by) > max(1, min(len(one.told_by), len(other.told_by)))
        )
    return not one.told_by & other.told_by


def _apart(slug: str, leader: str, beside: frozenset[str]) -> frozenset[str]:
    if slug == leader:
        return beside
    return frozenset({leader}) if slug in beside else frozenset()


def _is_matched(slug: str, apart: frozenset[str], scored: Mapping[str, Score]) -> bool:
    return any(abs(scored[slug].logit - scored[other].logit) <= ALIKE for other in apart)


def _is_untied(one: Score) -> bool:
    return any(piece.family == UNTIED for piece in one.opposing)


def _evidence(piece: ObservedPiece, cause: Cause) -> Evidence:
    one = piece.observation
    event = one.events[0] if one.events else None
    return Evidence(
        statement=piece.statement,
        weight=round(piece.share, 2),
        strength=round(piece.weight, 2),
        family=piece.family,
        layer=cause.layer,
        source=event.line.origin.source if event else (one.anomaly.source if one.anomaly else None),
        stream=(event.line.stream or event.line.origin.stream) if event else None,
        line=event.line.number if event else None,
        at=one.at,
        host=one.host,
        is_generic=piece.is_generic,
        event=event,
        anomaly=one.anomaly,
    )
