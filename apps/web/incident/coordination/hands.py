"""How long an incident was in whose hands, as a bar with its durations."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from apps.incidents.coordination.values import HandSpan
from apps.web import words
from apps.web.incident.coordination.values import HandBar, HandTotal


def length_between(since: datetime, until: datetime) -> str:
    """Return how long something took, in the two largest units."""
    return words.duration(max(0.0, (until - since).total_seconds()))


def bars_of(hands: Sequence[HandSpan], *, reader_id: int, now: datetime) -> tuple[HandBar, ...]:
    """Return the pieces of the bar; none where one party alone had it."""
    if len({each.organization.id for each in hands}) < 2:
        return ()
    start, shades = hands[0].since, _shades(hands, reader_id)
    whole = max(((hands[-1].until or now) - start).total_seconds(), 1.0)
    found = []
    for each in hands:
        until = each.until or now
        told = {"name": each.organization.name, "length": length_between(each.since, until)}
        width = max(1.0, 100 * (until - each.since).total_seconds() / whole)
        x = min(100 * (each.since - start).total_seconds() / whole, 100 - width)
        found.append(
            HandBar(
                x=round(x, 2),
                width=round(width, 2),
                hint=_("%(name)s, %(length)s") % told,
                shade=shades[each.organization.id],
            )
        )
    return tuple(found)


def _shades(hands: Sequence[HandSpan], reader_id: int) -> dict[int, str]:
    others = [pk for pk in dict.fromkeys(each.organization.id for each in hands) if pk != reader_id]
    return {reader_id: "own"} | {
        pk: "third" if number % 2 else "other" for number, pk in enumerate(others)
    }


def totals_of(hands: Sequence[HandSpan], *, reader_id: int, now: datetime) -> tuple[HandTotal, ...]:
    """Return how long each party had it altogether, who had it first first."""
    seconds: dict[int, float] = {}
    shades = _shades(hands, reader_id)
    names = {each.organization.id: each.organization.name for each in hands}
    for each in hands:
        length = ((each.until or now) - each.since).total_seconds()
        seconds[each.organization.id] = seconds.get(each.organization.id, 0.0) + max(0.0, length)
    return tuple(
        HandTotal(name=names[pk], length=words.duration(each), shade=shades[pk])
        for pk, each in seconds.items()
    )
