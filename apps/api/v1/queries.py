"""What a view takes behind the question mark and in its body: what it would ignore is refused."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from apps.diagnosis.spelling import MOST_TOLD, meant, one_of, shown, wrong_parameters

Handler = TypeVar("Handler", bound=Callable[..., Any])
Entry = serializers.Serializer[Any]
TAKEN, READ = "taken_query", "read_body"


def takes(*names: str) -> Callable[[Handler], Handler]:
    """Let a handler take these parameters; without this mark it takes none."""

    def mark(handler: Handler) -> Handler:
        setattr(handler, TAKEN, frozenset(names))
        return handler

    return mark


def reads(entry: type[Entry]) -> Callable[[Handler], Handler]:
    """Let a handler read a body of these keys; without this mark it reads none."""

    def mark(handler: Handler) -> Handler:
        setattr(handler, READ, entry)
        return handler

    return mark


def read_query(kind: type[Entry], *, request: Request) -> dict[str, Any]:
    """Return what the address asks for, each value checked; raise ValidationError."""
    # As a plain dict: of a form in HTML the framework would take an empty value for none.
    given = kind(data=request.query_params.dict())
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


def read_body(kind: type[Entry], *, request: Request) -> dict[str, Any]:
    """Return what the body says, each value checked; raise ValidationError."""
    given = kind(data=request.data)
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


def check_query(*, handler: Callable[..., Any], request: Request) -> None:
    """Raise ValidationError for a parameter that the handler would ignore, or that is there twice.

    Where handlers take it from is one place, so that pages, schema and refusals agree.
    """
    known: frozenset[str] = getattr(handler, TAKEN, frozenset())
    wrong = wrong_parameters(given=dict(request.query_params.lists()), known=known)
    if wrong:
        raise ValidationError({shown(word=name): words for name, words in wrong.items()})


def check_body(*, handler: Callable[..., Any], request: Request) -> None:
    """Raise ValidationError for a key that the handler would ignore."""
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        return
    entry: type[Entry] | None = getattr(handler, READ, None)
    if entry is None:
        if _has_body(request) and request.data not in ({}, None):
            raise ValidationError({"": "nothing is read from a body here; send none"})
        return
    wrong = dict(islice(_unknown_keys(entry(), request.data, ""), MOST_TOLD))
    if wrong:
        raise ValidationError(wrong)


def _has_body(request: Request) -> bool:
    return request.META.get("CONTENT_LENGTH", "0") not in {"", "0"}


def _unknown_keys(field: Any, value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield place → refusal for each key that no field has, however deep."""
    if isinstance(field, serializers.ListSerializer) and isinstance(value, list):
        for number, each in enumerate(value):
            yield from _unknown_keys(field.child, each, f"{place}[{number}]")
    if not isinstance(field, serializers.Serializer) or not isinstance(value, Mapping):
        return
    known = {name: each for name, each in field.fields.items() if not each.read_only}
    for name, inner in value.items():
        named = shown(word=str(name))
        here = f"{place}.{named}" if place else named
        if name in known:
            yield from _unknown_keys(known[name], inner, here)
        elif name in field.fields:
            yield here, "this can't be set; leave it out"
        else:
            words = one_of(known=known) + meant(word=str(name), known=known)
            yield here[:200], f"there is no such key here; {words}"
