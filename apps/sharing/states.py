"""Where an agreement stands, by what both sides wrote down. Pure: rows come in as values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.sharing.models import ActKind
from apps.sharing.terms import SharingRule


class VersionState(StrEnum):
    """What became of a version."""

    PROPOSED = "proposed"
    COUNTERED = "countered"  # the other side answered with terms of its own
    REPLACED = "replaced"  # its own side proposed anew before anybody answered
    DECLINED = "declined"
    TAKEN_BACK = "taken_back"
    LAPSED = "lapsed"  # nobody answered in time
    IN_FORCE = "in_force"
    SUPERSEDED = "superseded"  # a later version came into force
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideAct:
    """What a side did with a version."""

    organization_id: int
    kind: ActKind
    by: str
    at: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsVersion:
    """A version with what was done with it."""

    id: int
    number: int
    proposer_id: int
    preset: str
    terms: dict[str, tuple[SharingRule, ...]]  # slug of who gives → rules
    note: str
    proposed_by: str
    proposed_at: datetime
    lapses_at: datetime
    until: datetime | None
    digest: bytes
    acts: tuple[SideAct, ...] = ()

    @property
    def in_force_at(self) -> datetime | None:
        """Return when the second side signed."""
        return self._when(ActKind.SIGNED)

    def _when(self, kind: ActKind) -> datetime | None:
        return min((act.at for act in self.acts if act.kind == kind), default=None)


def states_of(*, versions: Sequence[TermsVersion], now: datetime) -> dict[int, VersionState]:
    """Return number → state of the versions of one agreement, in their order."""
    return {each.number: _state(each, versions, now) for each in versions}


def in_force(*, versions: Sequence[TermsVersion], now: datetime) -> TermsVersion | None:
    """Return the version that holds now."""
    states = states_of(versions=versions, now=now)
    held = [each for each in versions if states[each.number] is VersionState.IN_FORCE]
    return held[-1] if held else None


def open_proposal(*, versions: Sequence[TermsVersion], now: datetime) -> TermsVersion | None:
    """Return the version that waits for the other side's answer."""
    states = states_of(versions=versions, now=now)
    waiting = [each for each in versions if states[each.number] is VersionState.PROPOSED]
    return waiting[-1] if waiting else None


def _state(version: TermsVersion, all_of: Sequence[TermsVersion], now: datetime) -> VersionState:
    kinds = {act.kind for act in version.acts}
    later = [each for each in all_of if each.number > version.number]
    if ActKind.SIGNED not in kinds:
        return _unsigned(version, kinds, later, now)
    ends: list[tuple[datetime, VersionState]] = [
        (each.in_force_at, VersionState.SUPERSEDED) for each in later if each.in_force_at
    ]
    ends += [(a.at, VersionState.REVOKED) for a in version.acts if a.kind == ActKind.REVOKED]
    if version.until and version.until <= now:
        ends.append((version.until, VersionState.EXPIRED))
    return min(ends, default=(now, VersionState.IN_FORCE))[1]


def _unsigned(
    version: TermsVersion, kinds: set[ActKind], later: Sequence[TermsVersion], now: datetime
) -> VersionState:
    if ActKind.DECLINED in kinds:
        return VersionState.DECLINED
    if ActKind.TAKEN_BACK in kinds:
        return VersionState.TAKEN_BACK
    if later:
        is_same_side = later[0].proposer_id == version.proposer_id
        return VersionState.REPLACED if is_same_side else VersionState.COUNTERED
    # What would be over already is not signed: it would only end what holds.
    ends = min(version.lapses_at, version.until or version.lapses_at)
    return VersionState.LAPSED if ends <= now else VersionState.PROPOSED
