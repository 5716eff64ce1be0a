"""Moments of the story that other parties hold, as far as they show them."""

from collections import deque
from collections.abc import Hashable, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import count
from typing import Any, Final

from apps.incidents.projection.shared.handed_out import digest_of
from apps.incidents.projection.shared.shared_access import SharedAccess
from apps.incidents.projection.shared.shared_evidence import signal_of
from apps.incidents.projection.shared_values import SharedAs
from apps.incidents.projection.values import TimelineMoment
from apps.incidents.story_reading.made_once import MadeOnce
from apps.incidents.story_reading.stored_moments import StoredMoment
from apps.incidents.timeline import current_entries, told_alike
from apps.sharing.grant_values import SharedThing
from apps.sharing.redactor import Redactor
from apps.sharing.terms import LAYERS, Level
from apps.tenancy.values import value_of

NEVER: Final = datetime.max.replace(tzinfo=UTC)
READ: Final = frozenset({"event", "anomaly"})  # what people and the portal do has readers named
THINGS: Final = MadeOnce[StoredMoment, SharedThing](24_000)
SHOWN: Final = MadeOnce[StoredMoment, tuple[TimelineMoment, bytes]](24_000)
NUMBERS: Final = count()


def shared_moments(access: SharedAccess) -> list[TimelineMoment]:
    """Return what others show of the story. Needs the reader's scope."""
    found = []
    for grant in access.grants:
        told = set[object]()
        with access.held_by(grant) as redactor:
            ways = ShownWays(redactor)
            held = current_entries(
                incident=access.incident, holder_id=grant.holder.id, looker_id=grant.reader_id
            )
            for entry in held:
                if entry.kind not in READ or entry.for_all_parties:
                    continue
                if access.now < entry.created_at:
                    continue
                thing = THINGS.of(entry, thing_of)
                shown = access.shown(grant, thing)
                if shown is not None and (same := told_alike(entry)) not in told:
                    told.add(same)
                    moment, digest = ways.moment(entry, shown, thing.data)
                    access.handed_out.add_digest(shown, thing.data, digest)
                    found.append(moment)
    return found


class ShownWays:
    """Shows moments of one holder, each way made once: a long story has thousands.

    Whether and how each is shown was decided before, for this read. What redacts is made anew
    where the key, the names that hide or those that the reader knows are others.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._numbers: dict[int, int] = {}  # by the identity of a way, which an access keeps

    def moment(
        self, entry: StoredMoment, shown: SharedAs, data: str
    ) -> tuple[TimelineMoment, bytes]:
        """Return a moment as it is shown, and its digest for the ledger; `data` is its class."""
        number = self._numbers.get(id(shown))
        if number is None:
            redacts = None if shown.level is Level.SIGNAL else self._redactor.way(shown.level)
            number = self._numbers[id(shown)] = _number((shown, redacts))
        # Its class is a part of the moment, not of how it is shown.
        make = partial(_shown, shown=shown, data=data, redactor=self._redactor)
        return SHOWN.of(entry, make, number)


@lru_cache(256)
def _number(_way: Hashable) -> int:
    """Return the number of a way; one that was forgotten gets another."""
    return next(NUMBERS)


def _shown(
    entry: StoredMoment, *, shown: SharedAs, data: str, redactor: Redactor
) -> tuple[TimelineMoment, bytes]:
    moment = _moment(entry, shown, redactor)
    return moment, digest_of(shown, data, moment.at, moment.statement, moment.detail)


def thing_of(entry: StoredMoment) -> SharedThing:
    """Return of which class a moment is, where and when."""
    detail = entry.detail
    layer = detail.get("layer") or (entry.lane if entry.lane in LAYERS else "software")
    family = "metrics" if entry.kind == "anomaly" else "events"
    return SharedThing(
        data=f"{family}:{layer}",
        host=str(detail.get("host") or ""),
        at=entry.at,
        attempt_id=entry.attempt_id,
    )


def in_order(
    own: Sequence[TimelineMoment], shared: Sequence[TimelineMoment]
) -> tuple[TimelineMoment, ...]:
    """Return both as one story: what others tell stands by its time; without one it comes last."""
    waiting = deque(sorted(shared, key=lambda each: (each.at or NEVER, each.id)))
    ordered: list[TimelineMoment] = []
    for moment in own:
        while moment.at and waiting and (waiting[0].at or NEVER) < moment.at:
            ordered.append(waiting.popleft())
        ordered.append(moment)
    return (*ordered, *waiting)


def _moment(entry: StoredMoment, shown: SharedAs, redactor: Redactor) -> TimelineMoment:
    if shown.level is Level.SIGNAL:
        signal = signal_of(str(entry.detail.get("layer") or entry.lane), entry.at)
        return value_of(
            TimelineMoment, entry, shared=shown, statement=signal["statement"], at=signal["at"],
            ends_at=None, clock_error_seconds=None, detail={},
        )  # fmt: skip
    return value_of(
        TimelineMoment,
        entry,
        shared=shown,
        statement=redactor.statement(entry.statement, shown.level),
        detail=redactor.fact(_without_files(entry.detail), shown.level),
    )


def _without_files(detail: Any) -> dict[str, Any]:
    """Leave out by what its holder finds it again: names of files and sources, numbers of lines."""
    return {**detail, "source": "", "line": None, "reference": ""}
