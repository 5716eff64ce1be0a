"""Where in a log an address points: a line, a time, a direction, a search."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.diagnosis.input_values import MOST_ROWS, instant, whole_number
from apps.diagnosis.spelling import shown
from apps.telemetry.facade.held_logs import LineQuery
from apps.telemetry.held_logs.line_reading import LEVELS
from apps.web.shell.address_filters import known

MOST_LETTERS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPlace:
    """What an address asks a log for; of several places the first that is said counts."""

    line: int | None
    at: datetime | None
    first: int | None  # lines from here on
    before: int | None  # lines in front of here
    query: LineQuery
    beside: tuple[str, ...]  # keys of logs to read beside it

    @property
    def is_search(self) -> bool:
        """Say whether lines are searched for."""
        return bool(self.query.text or self.query.level) and self.line is None


def place_of(request: HttpRequest) -> LogPlace:
    """Return what the address asks for; say which of it makes no sense."""
    asked = request.GET
    return LogPlace(
        line=_number(request, "line"),
        at=_instant(request),
        first=_number(request, "from"),
        before=_number(request, "before"),
        query=LineQuery(
            text=asked.get("q", "")[: MOST_LETTERS + 1],
            is_pattern=known(request, "mode", ("pattern",)) == "pattern",
            ignores_case=known(request, "case", ("exact",)) != "exact",
            level=known(request, "level", LEVELS),
        ),
        beside=tuple(dict.fromkeys(key for key in asked.get("with", "").split(",") if key)),
    )


def instant_in(text: str) -> datetime | None:
    """Return a time as people write it: without a zone it is UTC."""
    text = text.strip().replace(" ", "T", 1).removesuffix("Z")
    try:
        is_naive = datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return None
    return instant(f"{text}Z" if is_naive else text)


def written(at: datetime) -> str:
    """Return a time as an address and a field for times write it, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _instant(request: HttpRequest) -> datetime | None:
    value = request.GET.get("at", "")
    found = instant_in(value)
    if value and found is None:
        text = _("“%(value)s” is no time such as 2026-11-21T01:30:00.")
        messages.warning(request, text % {"value": shown(word=value)})
    return found


def _number(request: HttpRequest, name: str) -> int | None:
    value = request.GET.get(name, "")
    found = whole_number(value, most=MOST_ROWS)
    if value and not found:
        text = _("“%(value)s” is no number of a line.")
        messages.warning(request, text % {"value": shown(word=value)})
    return found or None
