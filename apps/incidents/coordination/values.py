"""What a reader gets of the work on an incident: frozen values, without a row behind them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from apps.incidents.states import ActionState, HandOverState, VerdictState
from apps.tenancy.values import OrganizationName


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSpan:
    """From when to when an incident was in somebody's hands; no end: it still is."""

    organization: OrganizationName
    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One step: who took it, when, and why. The words are the annotation of that id."""

    organization: OrganizationName
    author_name: str
    state: str
    reason: str
    note: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOverView:
    """A hand-over from one party to another, as it stands."""

    id: str
    state: HandOverState
    sender: OrganizationName
    recipient: OrganizationName
    due_at: datetime | None
    sender_ticket: str  # empty: none, or not the reader's to see
    recipient_ticket: str
    steps: tuple[StepView, ...]

    @property
    def is_open(self) -> bool:
        """Say whether it waits for an answer."""
        return self.state in {HandOverState.PROPOSED, HandOverState.INFORMATION_NEEDED}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionView:
    """That somebody proposed to resolve an incident, resolved it or opened it again."""

    id: str
    state: str
    reason: str
    proposer: OrganizationName
    is_open: bool  # waits for an answer
    steps: tuple[StepView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionProgress:
    """How far an action is, and who of the asked parties said so."""

    state: ActionState
    reason: str
    organization: OrganizationName | None
    author_name: str
    note: str
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyStance:
    """What a party says of the verdict: right, or what it was instead."""

    organization: OrganizationName
    is_right: bool
    layer: str  # what it says it really was; empty: not known
    cause: str
    is_blamed: bool  # it answers for the layer that is blamed
    is_of_earlier: bool  # said of an answer with another layer or cause
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictStanding:
    """Where a verdict stands with the parties, and until when those whom it blames may reply."""

    is_named: bool  # the verdict names a layer
    blamed: tuple[OrganizationName, ...]
    reply_until: datetime | None  # None: it has not settled
    stances: tuple[PartyStance, ...]
    is_left_to_operator: bool = False  # whom it blames runs what no party took

    def state(self, *, now: datetime) -> VerdictState:
        """Return where it stands. A contest in time stays one; silence is no agreement."""
        if not self.is_named:
            return VerdictState.OPEN
        replies = [each for each in self.stances if self._counts(each)]
        if any(not each.is_right for each in replies):
            return VerdictState.CONTESTED
        agreed = {each.organization.id for each in replies}
        everybody = {each.id for each in self.blamed}
        is_over = self.reply_until is not None and now >= self.reply_until
        if is_over or (everybody and agreed == everybody and self.reply_until is not None):
            return VerdictState.FINAL
        return VerdictState.AGREED if agreed else VerdictState.PROPOSED

    @property
    def dissent(self) -> tuple[PartyStance, ...]:
        """Return who says of the verdict as it stands that it is wrong."""
        return tuple(each for each in self.stances if not each.is_right and not each.is_of_earlier)

    def waits_for(self, organization_id: int, *, now: datetime) -> bool:
        """Say whether the reply of an organization is still awaited."""
        is_blamed = any(each.id == organization_id for each in self.blamed)
        replied = any(
            each.organization.id == organization_id and not each.is_of_earlier
            for each in self.stances
        )
        is_in_time = self.reply_until is not None and now < self.reply_until
        return self.is_named and is_blamed and is_in_time and not replied

    def _counts(self, stance: PartyStance) -> bool:
        is_late = self.reply_until is not None and stance.at >= self.reply_until
        return stance.is_blamed and not stance.is_of_earlier and not is_late


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordination:
    """Everything of the work on an incident that one organization may read."""

    holder: OrganizationName | None
    held_since: datetime
    due_at: datetime | None  # of the hand-over by which the holder has it
    moved_by: str  # the hand-over by which the holder has it; empty: it was not handed over
    hands: tuple[HandSpan, ...]
    hand_overs: tuple[HandOverView, ...]  # oldest first
    resolutions: tuple[ResolutionView, ...]  # oldest first
    actions: Mapping[str, ActionProgress]  # by the action's id
    verdict: VerdictStanding
    step_count: int  # of those that the reader may read

    @property
    def is_handed_over(self) -> bool:
        """Say whether the holder has it by a hand-over."""
        return bool(self.moved_by)

    @property
    def open_hand_over(self) -> HandOverView | None:
        """Return the hand-over that waits for an answer."""
        return next((each for each in reversed(self.hand_overs) if each.is_open), None)

    @property
    def open_resolutions(self) -> tuple[ResolutionView, ...]:
        """Return the proposals to resolve that wait for an answer."""
        return tuple(each for each in self.resolutions if each.is_open)
