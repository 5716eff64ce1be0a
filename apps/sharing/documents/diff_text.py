"""What a document would change, in English: for the terminal of who applies it."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from apps.sharing.documents.terms_diff import RuleChange, changes_between
from apps.sharing.terms import Level, Place, SharingRule, Terms

LEVELS: Final[Mapping[Level, str]] = {
    Level.NONE: "nothing",
    Level.SIGNAL: "signal",
    Level.REDACTED: "redacted",
    Level.FULL: "in full",
}
PLACES: Final[Mapping[Place, str]] = {
    Place.CLUSTER: "of the whole cluster",
    Place.OWN_SESSIONS: "where the reader's sessions ran",
    Place.INCIDENTS: "around incidents of both",
    Place.BLAMED: "around incidents that blame the reader's layer",
}


def rule_lines(*, before: Terms, after: Terms, sides: tuple[str, str]) -> list[str]:
    """Return a line for each rule that would change."""
    return [_line(each, sides) for each in changes_between(before=before, after=after)]


def end_lines(*, before: datetime | None, after: datetime | None) -> Iterator[str]:
    """Yield what would change of the day on which it ends."""
    if before != after:
        yield f"it would hold {_until(after)}, before: {_until(before)}"


def _line(change: RuleChange, sides: tuple[str, str]) -> str:
    reader = next((each for each in sides if each != change.giver), "")
    rule = change.after or change.before
    assert rule is not None  # noqa: S101  a change has one of the two
    what = f"{change.giver} would show {reader} {rule.data} {PLACES[rule.where]}"
    if change.after is None:
        return f"{what} no more, before: {_told(change.before)}"
    return f"{what} {_told(change.after)}, before: {_told(change.before)}"


def _told(rule: SharingRule | None) -> str:
    if rule is None:
        return "no rule"
    kept = f" for {rule.keep_days} days" if rule.keep_days else ""
    return f"{LEVELS[rule.level]}{kept} for {rule.purpose}"


def _until(at: datetime | None) -> str:
    return f"until {at:%Y-%m-%d %H:%M} UTC" if at else "until a side ends it"
