"""How right the verdicts were, by what the parties said of them: shares with n and interval."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from apps.diagnosis import intervals
from apps.incidents.judgement.feedback import readable
from apps.incidents.models import Feedback
from apps.incidents.projection.access import access_incidents
from apps.incidents.states import Judgement
from apps.tenancy.access import Actor

# Fewer cases say next to nothing: their interval spans more than half of all there is.
FEW = 10
# What was stated, in these steps; the last one takes in 1.
STEPS = (0.0, 0.5, 0.65, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict with what its parties say of it. None: they contradict each other."""

    layer: str
    cause: str
    status: str
    probability: float
    is_layer_right: bool | None
    is_cause_right: bool | None
    judged_at: datetime

    @property
    def is_disputed(self) -> bool:
        """Whether the parties contradict each other, on the layer or on the cause alone."""
        return self.is_layer_right is None or self.is_cause_right is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(intervals.Share):
    """Right ones among those judged, with the 95 % Wilson interval."""

    @property
    def is_small(self) -> bool:
        """Whether there are too few to say much."""
        return self.n < FEW


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerAccuracy:
    """How right the verdicts on one layer were. `unknown`: how right it was to leave it open."""

    layer: str
    by_layer: Share
    by_cause: Share
    disputed_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Verdicts stated with a probability in a range, and how many of them were right."""

    low: float
    high: float
    stated: float | None  # their mean; None without any
    share: Share


def judged_of(*, opinions: Iterable[Feedback]) -> Judged | None:
    """Return what the standing opinions of one incident come to; None without any.

    The answer that was judged last counts: what was said of another answer is left out.
    """
    same = of_last_answer(opinions=opinions)
    if not same:
        return None
    last = same[-1]
    return Judged(
        layer=last.layer,
        cause=last.cause,
        status=last.verdict_status,
        probability=last.probability,
        is_layer_right=_agreed(_is_layer_right(row) for row in same),
        is_cause_right=_agreed(row.judgement == Judgement.RIGHT for row in same),
        judged_at=last.created_at,
    )


def of_last_answer(*, opinions: Iterable[Feedback]) -> list[Feedback]:
    """Return those of one incident's opinions that are about the answer judged last, in order."""
    rows = sorted(opinions, key=lambda row: (row.created_at, row.pk))
    return [row for row in rows if (row.layer, row.cause) == (rows[-1].layer, rows[-1].cause)]


def judged_incidents(*, actor: Actor) -> list[Judged]:
    """Return the judged incidents that the actor may know of, the last judged first.

    Simulated ones are left out unless the organization itself is simulated. Needs the scope.
    """
    wanted = access_incidents(actor=actor)
    if not actor.organization.is_simulated:
        wanted = wanted.filter(is_simulated=False)
    rows = readable(organization=actor.organization).filter(incident__in=wanted.order_by())
    return judged_rows(rows=rows.order_by("version", "id"))


def judged_rows(*, rows: Iterable[Feedback]) -> list[Judged]:
    """Return what all versions, in order, of many incidents come to."""
    found = [judged_of(opinions=each) for each in standing(rows=rows).values()]
    return sorted(filter(None, found), key=lambda each: each.judged_at, reverse=True)


def standing(*, rows: Iterable[Feedback]) -> dict[int, list[Feedback]]:
    """Return incident id → what each party says now, out of all versions in order."""
    newest: dict[int, dict[int, Feedback]] = {}
    for row in rows:
        newest.setdefault(row.incident_id, {})[row.organization_id] = row
    return {
        incident: [row for row in each.values() if row.judgement != Judgement.TAKEN_BACK]
        for incident, each in newest.items()
    }


def by_layer(*, judged: Sequence[Judged]) -> list[LayerAccuracy]:
    """Return the accuracy of each layer that was blamed in a judged verdict, by name."""
    layers = sorted({each.layer for each in judged})
    return [
        LayerAccuracy(
            layer=layer,
            by_layer=_share(each.is_layer_right for each in judged if each.layer == layer),
            by_cause=_share(each.is_cause_right for each in judged if each.layer == layer),
            disputed_count=sum(each.is_disputed for each in judged if each.layer == layer),
        )
        for layer in layers
    ]


def overall(*, judged: Sequence[Judged]) -> Share:
    """Return how often the layer was right, of verdicts that named one."""
    return _share(each.is_layer_right for each in judged if each.status in {"likely", "possible"})


def steps(*, judged: Sequence[Judged]) -> list[Step]:
    """Return stated probability beside the share that was right, of verdicts that named a layer."""
    named = [
        each
        for each in judged
        if each.status in {"likely", "possible"} and each.is_layer_right is not None
    ]
    return [_step(named, low, high) for low, high in pairwise(STEPS)]


def _step(named: Sequence[Judged], low: float, high: float) -> Step:
    is_last = high == STEPS[-1]
    inside = [e for e in named if low <= e.probability < high or (is_last and e.probability >= 1)]
    stated = sum(each.probability for each in inside) / len(inside) if inside else None
    return Step(low=low, high=high, stated=stated, share=_share(e.is_layer_right for e in inside))


def _is_layer_right(row: Feedback) -> bool:
    """Say whether the layer was right: where nobody says what it was, it wasn't."""
    return row.judgement == Judgement.RIGHT or row.actual_layer == row.layer


def _agreed(answers: Iterable[bool]) -> bool | None:
    found = set(answers)
    return found.pop() if len(found) == 1 else None


def _share(answers: Iterable[bool | None]) -> Share:
    told = [answer for answer in answers if answer is not None]
    return Share(hits=sum(told), n=len(told))
