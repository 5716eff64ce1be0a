"""What the parties' opinions of each incident come to."""

from collections.abc import Iterable

from apps.incidents.coordination.rows import readable_opinions
from apps.incidents.judgement.accuracy import Judged
from apps.incidents.models import Feedback
from apps.incidents.projection.access import access_incidents
from apps.incidents.states import Judgement
from apps.tenancy.access import Actor


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
    rows = readable_opinions(organization=actor.organization).filter(incident__in=wanted.order_by())
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


def _is_layer_right(row: Feedback) -> bool:
    """Say whether the layer was right: where nobody says what it was, it wasn't."""
    return row.judgement == Judgement.RIGHT or row.actual_layer == row.layer


def _agreed(answers: Iterable[bool]) -> bool | None:
    found = set(answers)
    return found.pop() if len(found) == 1 else None
