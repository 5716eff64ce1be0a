"""The rows of `decisions.toml`, in order: what each fits, and what it says."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

Fits = Mapping[str, frozenset[str]]  # the words of an axis that a row names
AXES = ("situation", "advice", "usual", "blamed", "beside", "status", "end_state", "cause", "kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """The head of a title; each text names the session at %(name)s."""

    one: str
    several: str
    unnamed: str
    is_stop: bool  # whether it counts as a session that stopped


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Whether to start again and whom to leave out: a sentence with %(hosts)s where it has any, and
    with %(others)s where another cause is as likely.
    """

    text: str
    stance: str  # go hold open none
    leave_out: str  # hosts others nobody many mended later open hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    fits: Fits
    says: Title | Answer


@cache
def _table() -> Mapping[str, tuple[DecisionRow, ...]]:
    text = files("apps.diagnosis.causes").joinpath("decisions.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    return {
        "title": tuple(_row(each, Title) for each in raw["title"]),
        "restart": tuple(_row(each, Answer) for each in raw["restart"]),
    }


def _row(raw: Mapping[str, Any], says: type[Title] | type[Answer]) -> DecisionRow:
    fits = {axis: frozenset(raw[axis]) for axis in AXES if axis in raw}
    return DecisionRow(fits=fits, says=says(**{k: v for k, v in raw.items() if k not in fits}))


def first(name: str, facts: Mapping[str, str]) -> Any:
    """Return what the first row of a table says that fits."""
    rows = _table()[name]
    return next(
        row.says for row in rows if all(facts[axis] in wanted for axis, wanted in row.fits.items())
    )


def title_rows() -> tuple[tuple[Fits, Title], ...]:
    """Return all heads of titles, each with what it fits, in order."""
    rows = _table()["title"]
    return tuple((row.fits, row.says) for row in rows if isinstance(row.says, Title))


def restart_rows() -> tuple[tuple[Fits, Answer], ...]:
    """Return all answers to whether to start again, each with what it fits, in order."""
    rows = _table()["restart"]
    return tuple((row.fits, row.says) for row in rows if isinstance(row.says, Answer))


def titles() -> tuple[Title, ...]:
    """Return all heads of titles."""
    return tuple(says for _, says in title_rows())


def answers() -> tuple[Answer, ...]:
    """Return all answers to whether to start again."""
    return tuple(says for _, says in restart_rows())
