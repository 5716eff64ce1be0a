"""Storage faults."""

from collections.abc import Callable

from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told

FAULTS: dict[str, Callable[[Scene], Told]] = {}
