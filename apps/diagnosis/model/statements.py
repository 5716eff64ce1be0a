"""What is said to people, as a fact: its kind and its values. `apps/wording` puts it into words."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Optional, TypeAlias

Value: TypeAlias = "str | int | float | bool | datetime | timedelta | Statement | tuple[Value, ...]"
# How JSON holds what it has no type for.
AT, SECONDS, KIND, VALUES = "at", "seconds", "kind", "values"


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact of one kind. `values` are ordered by name, so that equal facts are equal values."""

    kind: str
    values: tuple[tuple[str, Value], ...] = ()

    @property
    def named(self) -> Mapping[str, Value]:
        """Return the values by name."""
        return dict(self.values)


def statement(kind: str, /, **values: Optional[Value]) -> Statement:  # noqa: UP045  a name is no type yet
    """Return a fact of a registered kind; a value that is not known is left out."""
    known = ((name, values[name]) for name in sorted(values))
    return Statement(kind, tuple((name, value) for name, value in known if value is not None))


def statement_json(told: Statement, /) -> dict[str, Any]:
    """Return a fact as JSON holds it; `statement_of` brings it back."""
    return {KIND: told.kind, VALUES: {name: _json(value) for name, value in told.values}}


def statement_of(stored: Mapping[str, Any], /) -> Statement:
    """Return the fact that JSON holds."""
    values = stored[VALUES]
    return Statement(stored[KIND], tuple((name, _value(values[name])) for name in sorted(values)))


def _json(value: Value) -> Any:
    match value:
        case Statement():
            return statement_json(value)
        case datetime():
            return {AT: value.isoformat()}
        case timedelta():
            return {SECONDS: value.total_seconds()}
        case tuple():
            return [_json(each) for each in value]
        case _:
            return value


def _value(stored: Any) -> Value:
    match stored:
        case str() | int() | float():  # nearly every one
            return stored
        case {"kind": _, "values": _}:
            return statement_of(stored)
        case {"at": at}:
            return datetime.fromisoformat(at)
        case {"seconds": seconds}:
            return timedelta(seconds=seconds)
        case list():
            return tuple(_value(each) for each in stored)
        case _:
            raise TypeError(f"no value of a statement: {type(stored).__name__}")
