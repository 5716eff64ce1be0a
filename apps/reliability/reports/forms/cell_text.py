"""Values of a report's figures and tables in words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from apps.reliability.reports.forms import words
from apps.wording.causes import cause as cause_phrase
from apps.wording.names import LAYERS, SOURCES

Translate = Callable[[str], str]
Moment = Callable[[datetime], str]
MOST_REFERENCES: Final = 8
UNITS: Final = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))
NUMBERS: Final = frozenset({"count", "seconds", "hours", "ratio"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CellText:
    """One value: its text, and the ids of what it counts."""

    text: str
    incidents: tuple[str, ...] = ()  # a link each
    more: int = 0  # ids beyond those
    is_number: bool = False


def cell(kind: str, value: Any, translate: Translate) -> CellText:
    """Return a value of a table; what is not known is said so."""
    if kind in {"incident", "incidents"}:
        ids = tuple([value] if kind == "incident" else value)
        more = max(0, len(ids) - MOST_REFERENCES)
        return CellText(text="", incidents=ids[:MOST_REFERENCES], more=more)
    return CellText(text=_text(kind, value, translate), is_number=kind in NUMBERS)


def _text(kind: str, value: Any, translate: Translate) -> str:
    if value is None:
        return translate(words.NOT_KNOWN)
    if kind == "share":
        return share_text(value, translate)
    if kind in WORDED:
        table, known = WORDED[kind], str(value)
        return translate(table[known]) if known in table else known
    if kind == "cause":
        return translate(cause_phrase(value).name) if value else translate(words.NOT_KNOWN)
    return number_text(kind, value)


WORDED: Final[Mapping[str, Mapping[str, str]]] = {
    "layer": LAYERS,
    "party": {"": words.NOBODY},
    "use": words.USES,
    "slug": {**SOURCES, **words.SLUGS},
}


def number_text(kind: str, value: Any) -> str:
    """Return a number with its unit, or a text as it is."""
    return FORMS[kind](value) if kind in FORMS else str(value)


def duration_text(seconds: float) -> str:
    """Return how long something took: 42 s, 5 min 10 s, 3 h 20 min, 2 d 4 h."""
    whole = round(seconds)
    for place, (size, unit) in enumerate(UNITS):
        if whole >= size:
            count, rest = divmod(whole, int(size))
            lower, name = UNITS[place + 1] if place + 1 < len(UNITS) else (1.0, "s")
            part = int(rest // lower)
            return f"{count} {unit} {part} {name}" if part else f"{count} {unit}"
    return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"


def share_text(share: Mapping[str, Any], translate: Translate) -> str:
    """Return a share with its interval: 3 of 7, 43 % (95 %: 16 % to 75 %)."""
    if not share["n"]:
        return translate(words.ABSENCES["nothing"])
    told = translate(words.SHARE) % {"hits": share["hits"], "n": share["n"]}
    low, high = f"{share['low'] * 100:.0f} %", f"{share['high'] * 100:.0f} %"
    spread = translate(words.RANGE) % {"low": low, "high": high}
    return f"{told}, {share['hits'] / share['n'] * 100:.0f} % ({spread})"


def file_moment(at: datetime) -> str:
    """Return a moment in UTC as files have it: sorted as text it is sorted by time."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _count(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


FORMS: Final[Mapping[str, Callable[[Any], str]]] = {
    "ratio": lambda value: f"{value * 100:.1f} %",
    "seconds": lambda value: duration_text(float(value)),
    "hours": lambda value: f"{value:,.1f} h",
    "gpu-hours": lambda value: f"{value:,.1f} GPU-h",
    "percent": lambda value: f"{value:.1f} %",
    "count": _count,
    "instant": lambda value: file_moment(datetime.fromisoformat(value)),
}
