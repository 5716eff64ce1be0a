"""Values of a report in JSON, each checked for what it has to be. What is wrong is named."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from apps.diagnosis.input_values import (
    EARLIEST,
    LATEST,
    MOST,
    instant,
    storable,
    visible,
)
from apps.diagnosis.spelling import meant, one_of, shown
from apps.telemetry.formats.lines.complaints import Complaints

Report = TypeVar("Report")
MOST_GPUS = 1023  # the last index in one node
# What Slurm's programs print where there is nothing: no project, job or host is called so.
NOBODY = frozenset({"", "(null)", "None assigned"})
SIMULATED = "simulated"  # a mark for people; whose data is simulated, its organization says


class BadReport(Exception):
    """A value that can't be what it should be; the text names it."""


def each_report(
    values: Iterable[Any], read: Callable[[Mapping[str, Any]], Report], complaints: Complaints
) -> list[Report]:
    """Return what `read` makes of each value; name those that it refuses."""
    found = []
    for number, value in enumerate(values, start=1):
        try:
            if not isinstance(value, dict):
                raise BadReport("an entry must be an object")  # noqa: TRY301  reported like others
            found.append(read(value))
        except BadReport as error:
            complaints.add(line=number, code="bad_entry", detail=str(error))
    return found


def require_known(said: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Raise BadReport for the first key that is not known."""
    for name in said:
        if name not in known:
            hint = meant(word=str(name), known=known)
            words = one_of(known=known)
            raise BadReport(f"there is no key `{shown(word=str(name))}` here; {words}{hint}")


def time_of(said: Mapping[str, Any], name: str = "at") -> datetime | None:
    """Return a time, None where none is said."""
    word = said.get(name)
    if word is None:
        return None
    at = instant(word)
    if at is None:
        raise BadReport(
            f"`{name}` must be a time as RFC 3339 has it, with a zone (Z or an offset), "
            f"of the years {EARLIEST.year} to {LATEST.year - 1}"
        )
    return at


def required_text(said: Mapping[str, Any], name: str) -> str:
    """Return a text that has to be there."""
    value = text_of(said.get(name) or "")
    if not value:
        raise BadReport(f"`{name}` is missing")
    return value[:500]


def text_of(value: Any) -> str:
    """Return a text as it can be stored and shown."""
    if not isinstance(value, str | int):
        raise BadReport(f"a text was expected, not {type(value).__name__}")
    return visible(storable(str(value)).strip()[:500])


def name_of(value: Any) -> str:
    """Return a text that names something, empty where it says that there is nothing."""
    text = text_of(value)
    return "" if text in NOBODY else text


def number_of(said: Mapping[str, Any], name: str, *, most: int = MOST) -> int | None:
    """Return a number from 0, None where none is said."""
    value = said.get(name)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= most:
        raise BadReport(f"`{name}` must be a whole number from 0 to {most}")
    return value


def list_of(said: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list, empty where none is said."""
    value = said.get(name) or []
    if not isinstance(value, list):
        raise BadReport(f"`{name}` must be a list")
    return value


def object_of(said: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an object, empty where none is said."""
    value = said.get(name) or {}
    if not isinstance(value, dict):
        raise BadReport(f"`{name}` must be an object")
    return value
