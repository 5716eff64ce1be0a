"""What one organization shows another: rules by data class, level and place. Plain values."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from apps.diagnosis.model import Layer

Word = TypeVar("Word", bound=StrEnum)
ANY: Final = "*"
LAYERS: Final = frozenset(str(each) for each in Layer)
STREAMS: Final = frozenset({"session", "kernel", "scheduler", "storage", "fabric", "bmc"})
# Families of data, and what a class may name within one.
FAMILIES: Final[Mapping[str, frozenset[str]]] = {
    "metrics": LAYERS,
    "events": LAYERS,
    "logs": STREAMS,
    "warnings": LAYERS,
    "changes": LAYERS,
}
SESSIONS: Final = "sessions"  # a class without parts: what became of sessions
# What nobody can promise: there is nothing behind it that a rule could show or hide.
REFUSED: Final[Mapping[str, str]] = {
    "incidents": "who takes part in an incident reads it, nobody else does; how much of it, "
    "metrics, events, logs and sessions say, with where: incidents",
    "reports": "exports and reports are made of what their reader is shown anyway, joint ones of "
    "what all parties read; there is nothing more to show",
}
KEEP_DAYS_AT_MOST: Final = 3650
RULES_AT_MOST: Final = 200  # of one side


class BadTerms(ValueError):
    """Terms that can't be read; the text says where and what is possible."""


class Level(StrEnum):
    """How much of a thing is shown, from nothing to all of it."""

    NONE = "none"
    SIGNAL = "signal"  # that, when and of which layer
    REDACTED = "redacted"  # values and text, with pseudonyms
    FULL = "full"

    @property
    def rank(self) -> int:
        """Return its place, the more the higher."""
        return RANKS[self]


RANKS: Final = {level: place for place, level in enumerate(Level)}


class Place(StrEnum):
    """Of which things a rule holds."""

    CLUSTER = "cluster"  # all in the cluster
    OWN_SESSIONS = (
        "own-sessions"  # hosts, links and mounts of the reader's sessions, while they ran
    )
    INCIDENTS = "incidents"  # around incidents that both sides are parties of
    BLAMED = "blamed"  # around incidents that blame a layer the reader answers for


ON_INCIDENTS: Final = (Place.INCIDENTS, Place.BLAMED)
OF_SESSIONS: Final = (Place.CLUSTER, *ON_INCIDENTS)  # where a rule for sessions holds


class Purpose(StrEnum):
    """What the reader may use it for; it stands in the ledger beside what was read."""

    DIAGNOSIS = "diagnosis"
    OPERATIONS = "operations"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingRule:
    """One line of an agreement: what its giver shows the other side, how much, and where."""

    data: str  # metrics:gpu, events:*, logs:kernel, sessions
    level: Level
    where: Place = Place.CLUSTER
    purpose: Purpose = Purpose.DIAGNOSIS
    keep_days: int | None = None  # shown for so long after it happened; None: as long as it is kept

    def covers(self, data: str) -> bool:
        """Say whether it speaks of a class such as metrics:gpu."""
        asked, _, named = data.partition(":")
        return self.family == asked and self.part in (named, ANY)

    @property
    def family(self) -> str:
        """Return the family of its class: metrics, events, logs, sessions …"""
        return self.data.partition(":")[0]

    @property
    def part(self) -> str:
        """Return what of its family it names: a layer or a log, * for all, empty for sessions."""
        return self.data.partition(":")[2]

    @property
    def is_exact(self) -> bool:
        """Say whether it names its class instead of a whole family."""
        return self.part != ANY


Terms = Mapping[str, Sequence[SharingRule]]  # slug of who gives → rules


def read_terms(value: object, *, sides: Iterable[str]) -> dict[str, tuple[SharingRule, ...]]:
    """Return the terms that a mapping of slugs to lists of rules tells. Raises BadTerms."""
    names = tuple(sides)
    if not isinstance(value, Mapping):
        raise BadTerms("gives: a list of rules for each side is wanted")
    if unknown := sorted(str(each) for each in value if each not in names):
        raise BadTerms(
            f"gives: {unknown[0][:60]} is no side of it; those are {' and '.join(names)}"
        )
    return {name: _rules(value.get(name) or (), side=name) for name in names}


def plain_terms(terms: Terms) -> dict[str, list[dict[str, Any]]]:
    """Return terms as JSON and YAML have them, without what is usual."""
    return {side: [_plain(rule) for rule in rules] for side, rules in sorted(terms.items())}


def digest_of(document: Mapping[str, Any]) -> bytes:
    """Return the SHA-256 of a document in one spelling, 32 bytes: what a signature stands under."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


def _rules(value: object, *, side: str) -> tuple[SharingRule, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise BadTerms(f"gives.{side}: a list of rules is wanted")
    if len(value) > RULES_AT_MOST:
        raise BadTerms(f"gives.{side}: {len(value)} rules; at most {RULES_AT_MOST}")
    rules = tuple(_rule(each, at=f"gives.{side}[{n}]") for n, each in enumerate(value))
    seen: set[tuple[str, str]] = set()
    for rule in rules:
        if (rule.data, rule.where) in seen:
            raise BadTerms(f"gives.{side}: two rules for {rule.data} of {rule.where}; keep one")
        seen.add((rule.data, rule.where))
    return rules


def _rule(value: object, *, at: str) -> SharingRule:
    if not isinstance(value, Mapping):
        raise BadTerms(f"{at}: a rule has data, level and where")
    if unknown := sorted({str(key) for key in value} - set(SharingRule.__dataclass_fields__)):
        raise BadTerms(f"{at}: {unknown[0][:60]} is unknown; there are {', '.join(SharingRule.__dataclass_fields__)}")  # fmt: skip  # noqa: E501
    for name in ("data", "level"):
        if name not in value:
            raise BadTerms(f"{at}: {name} is missing")
    data = _data(value["data"], at=at)
    return SharingRule(
        data=data,
        level=_one(Level, value["level"], at=f"{at}.level"),
        where=_where(data, value.get("where", Place.CLUSTER), at=f"{at}.where"),
        purpose=_one(Purpose, value.get("purpose", Purpose.DIAGNOSIS), at=f"{at}.purpose"),
        keep_days=_days(value.get("keep_days"), at=f"{at}.keep_days"),
    )


def _data(value: object, *, at: str) -> str:
    family, _, part = str(value).partition(":")
    if family == SESSIONS:
        if value != SESSIONS:
            raise BadTerms(f"{at}.data: write {SESSIONS} alone; it has no parts")
        return SESSIONS
    if family in REFUSED:
        raise BadTerms(f"{at}.data: {family} can't be agreed on: {REFUSED[family]}")
    parts = FAMILIES.get(family)
    if parts is None:
        known = ", ".join((*FAMILIES, SESSIONS))
        raise BadTerms(f"{at}.data: {str(value)[:60]} is unknown; families are {known}")
    if part != ANY and part not in parts:
        shown = ", ".join(sorted(parts))
        raise BadTerms(f"{at}.data: write {family}:* or {family}: with one of {shown}")
    return f"{family}:{part}"


def _where(data: str, value: object, *, at: str) -> Place:
    where = _one(Place, value, at=at)
    if data == SESSIONS and where not in OF_SESSIONS:
        raise BadTerms(f"{at}: sessions are shown of {', '.join(OF_SESSIONS)}; write one of these")
    return where


def _one(kind: type[Word], value: object, *, at: str) -> Word:
    try:
        return kind(str(value))
    except ValueError:
        raise BadTerms(f"{at}: {str(value)[:60]} is none of {', '.join(kind)}") from None


def _days(value: object, *, at: str) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= KEEP_DAYS_AT_MOST:
        raise BadTerms(f"{at}: a whole number of days from 1 to {KEEP_DAYS_AT_MOST} is wanted")
    return value


def _plain(rule: SharingRule) -> dict[str, Any]:
    said = {"data": rule.data, "level": str(rule.level), "where": str(rule.where)}
    more: dict[str, Any] = (
        {"purpose": str(rule.purpose)} if rule.purpose != Purpose.DIAGNOSIS else {}
    )
    return said | more | ({"keep_days": rule.keep_days} if rule.keep_days else {})
