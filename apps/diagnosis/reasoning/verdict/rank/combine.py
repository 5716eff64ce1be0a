"""Pieces → the log-odds of a cause: the same fact told by several voices votes once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.model import Phase
from apps.diagnosis.reasoning.verdict.rank.pieces import SHARED_PARTS, ObservedPiece
from apps.diagnosis.reasoning.verdict.rank.placed import is_vague

# Facts that speak for one cause are not independent: each next one counts less.
FADE = 0.45
# The same fact from another kind of source is no second fact, but it is no slip either.
CONFIRMED, MOST_CONFIRMED = 0.4, 0.8
# Weights so near to each other tell a fact alike: what it broke matters more than who is louder.
NEARLY = 1.5
# Hosts this near to the first share the blame.
SHARED_BLAME = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A cause with what speaks for it on the host where most does."""

    prior: float
    logit: float
    supporting: tuple[ObservedPiece, ...]
    opposing: tuple[ObservedPiece, ...]
    hosts: tuple[str, ...]
    told_by: frozenset[str] = frozenset()

    @property
    def strength(self) -> float:
        """Return what the heaviest piece weighs that is no generic text and tells when it was."""
        exact = [p for p in self.supporting if not (p.is_generic or is_vague(p.observation))]
        return max((piece.weight for piece in exact), default=0.0)


def score(*, cause: Cause, pieces: Sequence[ObservedPiece], phase: Phase) -> Score:
    """Return how likely a cause is by all its pieces, and on which hosts."""
    prior = cause.prior_in(phase)
    opposing = tuple(piece for piece in pieces if piece.weight < 0)
    groups: dict[str, list[ObservedPiece]] = defaultdict(list)
    shared = [p for p in pieces if p.weight > 0 and p.observation.host is None]
    for piece in pieces:
        if piece.weight > 0 and piece.observation.host is not None:
            groups["" if cause.culprit in SHARED_PARTS else piece.observation.host].append(piece)
    if not groups and shared:
        groups[""] = []
    weighed = {host: _shares([*found, *shared]) for host, found in groups.items()}
    against = {host: _against(opposing, host) for host in groups}
    totals = {
        host: sum(piece.share for piece in found) + sum(p.share for p in against[host])
        for host, found in weighed.items()
    }
    if not totals:
        return Score(prior=prior, logit=prior, supporting=(), opposing=opposing, hosts=())
    best = max(sorted(totals), key=lambda host: totals[host])
    near = tuple(host for host in sorted(totals) if totals[host] >= totals[best] - SHARED_BLAME)
    told_by = frozenset(h for p in weighed[best] for h in p.observation.hosts)
    spread = 0.25 * log2(max(len(told_by), 1)) if cause.culprit in SHARED_PARTS else 0.0
    supporting = {id(p.observation): p for host in reversed(near) for p in weighed[host]}
    supporting |= {id(p.observation): p for p in weighed[best]}
    return Score(
        prior=prior,
        logit=prior + totals[best] + min(spread, 1.0),
        supporting=tuple(
            sorted(supporting.values(), key=lambda one: (-one.share, *_piece_order(one)))
        ),
        opposing=against[best],
        hosts=near if near != ("",) else tuple(sorted(told_by)),
        told_by=told_by,
    )


def _shares(pieces: Sequence[ObservedPiece]) -> list[ObservedPiece]:
    """Return the pieces with what each adds: one vote for each fact, each next fact fading."""
    families: dict[str, list[ObservedPiece]] = defaultdict(list)
    told_in: dict[tuple[str, int], str] = {}
    for piece in sorted(pieces, key=_piece_order):
        # What is found in a line is no second fact beside the line.
        line = piece.observation.events[0].order_key if piece.observation.events else None
        family = told_in.setdefault(line, piece.family) if line else piece.family
        families[family].append(piece)
    ranked = sorted(families.values(), key=lambda told: (-told[0].weight, told[0].family))
    found: list[ObservedPiece] = []
    for position, told in enumerate(ranked):
        lead = _lead(told)
        voices, bonus = {lead.voice}, 0.0
        found.append(replace(lead, share=told[0].weight * FADE**position))
        for piece in (one for one in told if one is not lead):
            is_new = piece.voice not in voices and bonus < MOST_CONFIRMED
            share = min(CONFIRMED * FADE**position, piece.weight) if is_new else 0.0
            bonus += CONFIRMED if is_new else 0.0
            voices.add(piece.voice)
            found.append(replace(piece, share=share))
    return found


def _lead(told: Sequence[ObservedPiece]) -> ObservedPiece:
    """Return who tells a fact: the line that names the part, of those that weigh nearly alike."""
    near = (one for one in told if told[0].weight - one.weight <= NEARLY)
    return next((one for one in near if _names_part(one)), told[0])


def _names_part(piece: ObservedPiece) -> bool:
    return any(event.fields.get("pci") for event in piece.observation.events)


def _against(opposing: Sequence[ObservedPiece], host: str) -> tuple[ObservedPiece, ...]:
    """Return what speaks against a cause on a host, each fact once."""
    found: dict[str, ObservedPiece] = {}
    for piece in sorted(opposing, key=_piece_order):
        if not host or piece.observation.host in {None, host}:
            known = found.setdefault(piece.family, replace(piece, share=piece.weight))
            if known.weight > piece.weight:
                found[piece.family] = replace(piece, share=piece.weight)
    return tuple(found.values())


def _piece_order(piece: ObservedPiece) -> tuple[float, str, str, tuple[str, int], str]:
    one = piece.observation
    place = one.events[0].order_key if one.events else ("", 0)
    anomaly = repr(one.anomaly) if one.anomaly else ""
    return (-piece.weight, one.sign, one.host or "", place, anomaly)
