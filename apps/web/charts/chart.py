"""One evidence chart."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One evidence chart: what it shows, its figure, its numbers in words."""

    key: str
    title: str
    unit: str
    owner: str
    layer: str
    suspect: str
    suspect_value: str
    peers_value: str
    note: str
    figure: dict[str, Any] = field(default_factory=dict)
    explore_query: str = ""  # asks Explore for the same signal over the same time

    @property
    def script_id(self) -> str:
        """Return the id of the element that carries the figure."""
        return f"figure-{self.key}"
