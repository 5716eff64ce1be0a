"""Messages of protocol buffers as JSON, filled by tables: the library's reader asks each field's
descriptor anew, which took most of the time of reading a push.

What is taken and refused is what `json_format.ParseDict` takes and refuses, where fields that are
not known are left out.
"""

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import descriptor
from google.protobuf.json_format import ParseError

from apps.telemetry.formats.protobuf.nesting import DEPTH_LIMIT

_Kind = descriptor.FieldDescriptor


@dataclass(slots=True, eq=False)
class _Field:
    """How one field is filled."""

    name: str
    is_repeated: bool
    places: tuple[str, ...]  # which one message has once: the field, and the choice it is one of
    convert: Callable[[Any], Any] | None  # none of a message
    inner: "Table | None"


Table = dict[str, _Field]  # by both names that a sender may write


def table_of(*, message: Any) -> Table:
    """Return how messages of a kind are filled."""
    return _table(message.DESCRIPTOR, {})


def fill(*, message: Any, said: Any, table: Table) -> None:
    """Fill an empty message; raise ParseError, ValueError."""
    _fill(message, said, table, 0)


def _fill(message: Any, said: Any, table: Table, depth: int) -> None:
    if type(said) is str or said == []:
        return  # a text where fields should stand says nothing of any
    if type(said) is not dict or depth > DEPTH_LIMIT:
        raise ParseError("no object, or nested too deeply")
    taken: set[str] = set()
    for name, value in said.items():
        field = table.get(name)
        if field is None or value is None:
            continue
        if not taken.isdisjoint(field.places):
            raise ParseError("a field is written twice")
        taken.update(field.places)
        _set(message, value, field, depth)


def _set(message: Any, value: Any, field: _Field, depth: int) -> None:
    if field.is_repeated:
        _extend(getattr(message, field.name), value, field, depth)
    elif field.convert is not None:
        converted = field.convert(value)
        if converted is not None:  # the name of a choice that is not known
            setattr(message, field.name, converted)
    else:
        inner = getattr(message, field.name)
        inner.SetInParent()
        _fill(inner, value, field.inner or {}, depth + 1)


def _extend(held: Any, values: Any, field: _Field, depth: int) -> None:
    if type(values) is not list:
        raise ParseError("a repeated field is no list")
    if field.convert is not None:
        held.extend(list(map(field.convert, values)))
        return
    inner = field.inner or {}
    for each in values:
        _fill(held.add(), each, inner, depth + 1)


def _table(kind: Any, known: dict[str, Table]) -> Table:
    if kind.full_name in known:
        return known[kind.full_name]
    table = known[kind.full_name] = {}
    for each in kind.fields:
        oneof = each.containing_oneof
        is_message = each.message_type is not None
        field = _Field(
            name=each.name,
            is_repeated=each.is_repeated,
            places=(each.name, f"one of {oneof.name}") if oneof else (each.name,),
            convert=None if is_message else _converter(each),
            inner=_table(each.message_type, known) if is_message else None,
        )
        table[each.name] = table[each.json_name] = field
    return table


def _converter(field: Any) -> Callable[[Any], Any]:
    if field.enum_type is None:
        return _CONVERTERS[field.type]
    numbers = {name: each.number for name, each in field.enum_type.values_by_name.items()}

    def choice(value: Any) -> int | None:
        known = numbers.get(value)
        try:
            return int(value) if known is None else known
        except ValueError:  # neither name nor number, NaN among them: left out
            return None

    return choice


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ParseError("no text")
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise ParseError("neither true nor false")
    return value


def _whole(value: Any) -> int:
    if type(value) is bool or (type(value) is str and " " in value):
        raise ParseError("no whole number")
    try:
        if type(value) is not float:
            return int(value)
    except ValueError:
        value = float(value)
    if not value.is_integer():
        raise ParseError("no whole number")
    return int(value)


def _number(value: Any) -> float:
    if value == "nan" or (type(value) is float and not math.isfinite(value)):
        raise ParseError("no number")
    return float(value)


def _bytes(value: Any) -> bytes:
    try:
        encoded = _text(value).encode()
        return base64.urlsafe_b64decode(encoded + b"=" * (4 - len(encoded) % 4))
    except binascii.Error as error:
        raise ParseError("no base64") from error


_CONVERTERS: Final[Mapping[int, Callable[[Any], Any]]] = {
    _Kind.TYPE_STRING: _text,
    _Kind.TYPE_BYTES: _bytes,
    _Kind.TYPE_BOOL: _flag,
    _Kind.TYPE_DOUBLE: _number,
    **dict.fromkeys(
        (
            *(_Kind.TYPE_INT32, _Kind.TYPE_INT64, _Kind.TYPE_UINT32),
            *(_Kind.TYPE_FIXED64, _Kind.TYPE_SFIXED64),
        ),
        _whole,
    ),
}
