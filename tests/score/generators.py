"""Who composes sessions: each generator by name, with its seeds. None knows another's wording."""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.score.second import generate as second
from tests.score.sessions import compose as first
from tests.score.truth import Truth

ROOT = Path(__file__).parents[2]
ENGINE = "apps/diagnosis"


class Compose(Protocol):
    """Writes the session of a seed below a folder."""

    def __call__(
        self, *, seed: int, folder: Path, scenario: str | None = None
    ) -> tuple[Truth, Path]:
        """Return the truth and the path to diagnose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionGenerator:
    """One author of sessions."""

    name: str
    title: str  # of its rows
    compose: Compose
    scenarios: Callable[[], tuple[str, ...]]
    seeds: range  # of the scorecard
    is_required: bool  # whether its rows have bounds that must hold


FIRST = SessionGenerator(
    name="first",
    title="composed sessions",
    compose=first.compose,
    scenarios=first.scenarios,
    seeds=range(1000, 1120),
    is_required=True,
)
# Written from the vendors' sources by somebody who had seen no signature: what it finds is news.
SECOND = SessionGenerator(
    name="second",
    title="second generator",
    compose=second.compose,
    scenarios=second.scenarios,
    seeds=range(700_000, 700_120),
    is_required=False,
)
GENERATORS: Mapping[str, SessionGenerator] = {one.name: one for one in (FIRST, SECOND)}


def drawn_seeds(*, count: int) -> range:
    """Return seeds that follow from the engine's last commit: nobody saw them before it.

    Raises subprocess.CalledProcessError outside a checkout.
    """
    command = ("git", "log", "-1", "--format=%H", "--", ENGINE)
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603  fixed words
    begun = int(told.stdout.strip()[:10], 16)
    return range(begun, begun + count)
