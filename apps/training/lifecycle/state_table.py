"""The table of states: a scheduler's word → its lane, and how it ends an attempt."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from apps.diagnosis.model import EndState

TABLE: Final = Path(__file__).with_name("states.toml")


class LifecycleLane(StrEnum):
    """What an attempt is doing, in the order in which lanes are shown."""

    QUEUE = "queue"
    START = "start"
    RUN = "run"
    DEGRADED = "degraded"
    SUSPENDED = "suspended"
    RESTARTING = "restarting"
    END = "end"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateMeaning:
    """What a word means. `state` is what the attempt is then, None before it runs.

    `is_over` says that nothing follows within the attempt. Of a word that nobody knows
    `is_known` is False.
    """

    lane: LifecycleLane
    state: EndState | None = None
    is_over: bool = False
    is_known: bool = True


Words = Mapping[str, StateMeaning]
NOT_KNOWN: Final = StateMeaning(lane=LifecycleLane.UNKNOWN, is_known=False)
STATES_OF: Final = {LifecycleLane.RUN: EndState.RUNNING, LifecycleLane.DEGRADED: EndState.RUNNING}


@lru_cache(maxsize=4096)
def meaning_of(*, scheduler: str, word: str) -> StateMeaning:
    """Return what a word of a scheduler means; of one that is not in the table its lane is unknown.

    The portal's own words count for every scheduler. Where none is named, or one without a table,
    a word counts that means the same to all who know it.
    """
    tables, own = _tables(), scheduler.strip().lower()
    for table in (tables.get(own, {}), tables[""]):
        if found := _look_up(table, word):
            return found
    if own in tables and own:
        return NOT_KNOWN
    known = {found for table in tables.values() if (found := _look_up(table, word))}
    return known.pop() if len(known) == 1 else NOT_KNOWN


@cache
def known_results() -> tuple[str, ...]:
    """Return what a scheduler says of one try to move a session on."""
    return tuple(_table()["results"])


def _look_up(table: Words, word: str) -> StateMeaning | None:
    return table.get(word) or table.get(word.casefold())


@cache
def _tables() -> Mapping[str, Words]:
    return {name: _in_any_case(entry) for entry in _table()["scheduler"] for name in entry["names"]}


def _in_any_case(entry: Mapping[str, Any]) -> Words:
    words = _words(entry)
    return {word.casefold(): meaning for word, meaning in words.items()} | words


def _words(entry: Mapping[str, Any]) -> dict[str, StateMeaning]:
    words = {
        word: StateMeaning(lane=LifecycleLane(lane), state=STATES_OF.get(LifecycleLane(lane)))
        for lane, some in entry["lanes"].items()
        for word in some
    }
    for word, state in entry["ends"].items():
        words[word] = StateMeaning(lane=LifecycleLane.END, state=EndState(state), is_over=True)
    return words


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))
