"""The sources of an incident, side by side: there, stale, hidden or absent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.web import words

STATES = ("present", "stale", "hidden", "absent")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageCell:
    """One kind of source: there, stale, hidden by policy or absent."""

    state: str
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageLine:
    """One line of the legend: how many sources are in a state, and which."""

    state: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageStrip:
    """All sources of an incident, side by side."""

    cells: tuple[CoverageCell, ...]
    lines: tuple[CoverageLine, ...]
    present_count: int

    @property
    def count(self) -> int:
        """Return how many sources could have spoken."""
        return len(self.cells)


def coverage_strip(coverage: Sequence[Mapping[str, Any]]) -> CoverageStrip:
    """Return all kinds of source, the readable first, with one line for each state that occurs."""
    ordered = sorted(coverage, key=lambda entry: (STATES.index(_state(entry)), entry["source"]))
    cells = tuple(
        CoverageCell(state=_state(entry), name=words.source(entry["source"]), note=note(entry))
        for entry in ordered
    )
    partial = [
        entry for entry in ordered if entry.get("hosts_expected") and entry.get("missing_hosts")
    ]
    lines = tuple(
        line
        for state in STATES
        if (
            line := _line(
                state=state,
                cells=[cell for cell in cells if cell.state == state],
                partial=[entry for entry in partial if _state(entry) == state],
            )
        )
    )
    present = sum(1 for cell in cells if cell.state == "present")
    return CoverageStrip(cells=cells, lines=lines, present_count=present)


def note(entry: Mapping[str, Any]) -> str:
    """Return what is known about the reach of a source: 59 of 60 hosts, gpu017 missing."""
    expected = entry.get("hosts_expected") or 0
    if not expected:
        return words.said(words.COVERAGE, _state(entry))
    missing = entry.get("missing_hosts") or []
    reach = {"n": entry.get("hosts_present", 0), "all": expected}
    if not missing:
        return _("%(n)s of %(all)s hosts") % reach
    lacking = {"hosts": words.hosts_text(missing)}
    return _("%(n)s of %(all)s hosts, %(hosts)s missing") % {**reach, **lacking}


def _state(entry: Mapping[str, Any]) -> str:
    state = str(entry.get("state", "absent"))
    return state if state in STATES else "absent"


def _line(
    *, state: str, cells: Sequence[CoverageCell], partial: Sequence[Mapping[str, Any]]
) -> CoverageLine | None:
    if not cells:
        return None
    if state == "present":
        tail = ""
        if len(partial) == 1:
            name = words.inside(words.source(partial[0]["source"]))
            tail = f": {name} {note(partial[0])}"
        return CoverageLine(state=state, text=_counted(cells, state=state) + tail)
    names = ", ".join(words.inside(cell.name) for cell in cells)
    return CoverageLine(state=state, text=f"{_counted(cells, state=state)}: {names}")


def _counted(cells: Sequence[CoverageCell], *, state: str) -> str:
    said = words.said(words.COVERAGE, state)
    return _("%(n)s %(state)s") % {"n": len(cells), "state": said}
