"""The attempts of sessions that came through a door, as many of their hosts and ranks as an answer
can hold.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.db.models import CharField, F, Func, Q

from apps.fleet.hosts.host_names import short
from apps.fleet.models import Attempt, SessionParty
from apps.fleet.values import AttemptView, SessionView, attempt_view
from apps.tenancy.access import Actor
from apps.tenancy.database.row_copies import row_of

# A session of 16,384 ranks takes 2 MB: a dozen of its starts stand whole in one answer.
MOST_BYTES: Final = 32 * 2**20
LEAST_WEIGHT: Final = 400  # of an attempt of which nothing but its times was told
# What makes an attempt heavy; the rest is shown of each.
HEAVY: Final[Mapping[str, type[Any]]] = {
    "hosts": list, "ranks": dict, "exit_codes": dict, "field_sources": dict, "contradictions": list,
}  # fmt: skip


def attempts_of(
    *, actor: Actor, sessions: Sequence[SessionView]
) -> dict[int, tuple[AttemptView, ...]]:
    """Return session id → its attempts, for sessions that came through a door.

    Where there is too much, older attempts are cut: `is_cut` says that their hosts and ranks are
    not here. Who no longer serves the cluster reads those of then, as they stood.
    """
    then = _attempts_then(actor, sessions)
    found: dict[int, list[Attempt]] = {each.id: then.get(each.id, []) for each in sessions}
    now = [each.id for each in sessions if each.id not in then]
    whole, has_more = _fitting(now)
    rows = Attempt.objects.filter(session__in=now)
    attempts = list(rows.filter(pk__in=whole))
    if has_more:
        attempts += [_cut(each) for each in rows.exclude(pk__in=whole).defer(*HEAVY)]
    for attempt in sorted(attempts, key=lambda each: (each.number, each.pk)):
        found[attempt.session_id].append(attempt)
    return {key: tuple(map(attempt_view, told)) for key, told in found.items()}


def _cut(attempt: Attempt) -> Attempt:
    for name, kind in HEAVY.items():
        setattr(attempt, name, kind())
    attempt.is_cut = True
    return attempt


def _fitting(sessions: Sequence[int]) -> tuple[list[int], bool]:
    """Return the attempts that fit, the newest of each session first, and whether there are more.

    Each session has an equal part of the room: a heavy one leaves the others theirs.
    """
    weights: dict[int, list[tuple[int, int]]] = {each: [] for each in sessions}
    rows = Attempt.objects.filter(session__in=sessions).order_by("-number", "-id")
    for pk, session_id, weight in rows.values_list("pk", "session_id", "weight"):
        weights[session_id].append((pk, max(weight, LEAST_WEIGHT)))
    fitting: list[int] = []
    room, left = MOST_BYTES, len(weights)
    for told in sorted(weights.values(), key=lambda each: sum(weight for _, weight in each)):
        part = room // left
        for pk, weight in told:
            if weight > part:
                break
            fitting.append(pk)
            part, room = part - weight, room - weight
        left -= 1
    return fitting, len(fitting) < sum(len(told) for told in weights.values())


def _attempts_then(actor: Actor, sessions: Sequence[SessionView]) -> dict[int, list[Attempt]]:
    others = [each.id for each in sessions if each.organization.id != actor.organization.pk]
    if not others:
        return {}
    own = SessionParty.objects.for_organization(actor.organization)
    left = own.filter(session__in=others).exclude(left_at=None)
    return {
        row.session_id: [row_of(model=Attempt, copy=each) for each in row.attempts_then or ()]
        for row in left
    }


def hosts_of(*, actor: Actor, ids: Collection[int]) -> frozenset[str]:
    """Return the short names of the hosts of attempts that came through a door.

    Of another's attempts only as who runs the cluster said. Needs the actor's scope.
    """
    own = Q(organization=actor.organization)
    rows = Attempt.objects.filter(own | Q(hosts_asserted=True), pk__in=ids)
    each = Func(F("hosts"), function="unnest", output_field=CharField())
    names = rows.values_list(each, flat=True).distinct()
    return frozenset(short(name=name) for name in names)
