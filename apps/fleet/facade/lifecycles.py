"""What was reported of the states of attempts, as lanes. Needs the actor's scope."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.fleet.authority.rules import SenderStanding
from apps.fleet.models import AttemptState
from apps.fleet.sessions.state_history import IN_ORDER, MOST_OF_EACH_END
from apps.fleet.values import AttemptView
from apps.tenancy.access import Actor, Right
from apps.training.lifecycle.spans import AttemptLifecycle, attempt_lifecycle
from apps.training.lifecycle.state_table import LifecycleLane, meaning_of
from apps.training.lifecycle.states import LifecycleState


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStateView:
    """One state as it was said, who said it, and which lane it stands in."""

    word: str
    scheduler: str
    at: datetime | None
    source: str  # the organization's slug
    standing: str  # asserted claimed
    member: str
    result: str
    reason: str
    received_at: datetime

    @property
    def lane(self) -> LifecycleLane:
        """Return the lane by the table; `unknown` of a word that is not in it."""
        return meaning_of(scheduler=self.scheduler, word=self.word).lane

    @property
    def is_known(self) -> bool:
        """Say whether the table knows the word."""
        return meaning_of(scheduler=self.scheduler, word=self.word).is_known


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptHistory:
    """The lanes of an attempt and the states they are made of, in order of time."""

    number: int
    lifecycle: AttemptLifecycle
    states: tuple[AttemptStateView, ...] = ()
    is_cut: bool = False  # of very many states the first and the last are here


def histories_of(*, actor: Actor, attempts: Sequence[AttemptView]) -> dict[int, AttemptHistory]:
    """Return attempt id → its history, for attempts that came through a door.

    Who no longer serves the cluster reads the times that it knew, and no states.
    """
    actor.require(Right.READ)
    found: dict[int, list[AttemptStateView]] = {each.id: [] for each in attempts}
    for row in AttemptState.objects.filter(attempt__in=list(found)).order_by(*IN_ORDER):
        found[row.attempt_id].append(_view(row))
    return {each.id: _history(each, tuple(found[each.id])) for each in attempts}


def _history(attempt: AttemptView, states: tuple[AttemptStateView, ...]) -> AttemptHistory:
    told = [_told(each, each.at) for each in states if each.at is not None]
    return AttemptHistory(
        number=attempt.number,
        lifecycle=attempt_lifecycle(told, started_at=attempt.started_at, ended_at=attempt.ended_at),
        states=states,
        is_cut=max(Counter(each.source for each in states).values(), default=0)
        >= 2 * MOST_OF_EACH_END,
    )


def _told(state: AttemptStateView, at: datetime) -> LifecycleState:
    return LifecycleState(
        word=state.word,
        at=at,
        source=state.source,
        scheduler=state.scheduler,
        is_claimed=state.standing != SenderStanding.ASSERTED,
        member=state.member,
        result=state.result,
        reason=state.reason,
    )


def _view(row: AttemptState) -> AttemptStateView:
    return AttemptStateView(
        word=row.word,
        scheduler=row.scheduler,
        at=row.at,
        source=row.source,
        standing=row.standing,
        member=row.member,
        result=row.result,
        reason=row.reason,
        received_at=row.received_at,
    )
