"""One evidence chart."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from django.utils.html import json_script
from django.utils.safestring import SafeString

KEPT: Final = 240  # of a page at most twelve, some ten kilobytes each


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
    draw: Callable[[], dict[str, Any]] = dict
    content: Hashable = None  # all that its figure depends on; None: nothing of it is kept
    explore_query: str = ""  # asks Explore for the same signal over the same time

    @property
    def figure(self) -> dict[str, Any]:
        """Return plotly's data and layout, drawn anew."""
        return self.draw()

    @property
    def script(self) -> SafeString:
        """Return the element that carries the figure: made once for what it depends on."""
        asked = _Script(name=f"figure-{self.key}", content=self.content, draw=self.draw)
        return _written(asked) if self.content is None else _kept(asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Script:
    name: str
    content: Hashable
    draw: Callable[[], dict[str, Any]] = field(compare=False)


def _written(asked: _Script) -> SafeString:
    return json_script(asked.draw(), asked.name)


_kept = lru_cache(KEPT)(_written)
