"""The description of the interface, for programs as a file and for people as a page.

It names what there is for everybody alike and nothing of anybody, so that no credential is asked.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.api.openapi import as_yaml, document
from apps.tenancy.models import User
from apps.tenancy.people.memberships import first_organization_of

METHODS = ("get", "post", "put", "patch", "delete")
FIRST = "push"  # what a newcomer looks for
AN_HOUR = "public, max-age=3600"
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedField:
    """A parameter, a field or an answer: what it is called, of which type, and what it says."""

    name: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiOperation:
    """One method of one address."""

    anchor: str
    method: str
    path: str
    text: str
    is_deprecated: bool
    takes_token: bool
    parameters: tuple[NamedField, ...]
    fields: tuple[NamedField, ...]  # of the body
    example: str
    answers: tuple[NamedField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationGroup:
    """The operations of one kind of thing."""

    name: str
    operations: tuple[ApiOperation, ...]


@require_safe
def openapi_yaml(request: HttpRequest) -> HttpResponse:
    """Return the description that clients are generated from."""
    answer = HttpResponse(as_yaml(), content_type="application/yaml; charset=utf-8")
    answer["Cache-Control"] = AN_HOUR
    return answer


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show it to people."""
    return render(request, "api/reference.html", {"groups": groups(), "sources": _sources(request)})


def _sources(request: HttpRequest) -> str:
    """Return where who is signed in makes tokens; empty for others, and without organization."""
    if not isinstance(request.user, User):
        return ""
    place = first_organization_of(user=request.user)
    return f"{reverse('web:sources', args=[place.slug])}#new-token" if place else ""


@cache
def groups() -> tuple[OperationGroup, ...]:
    """Return every operation, by what it is about."""
    found: dict[str, list[ApiOperation]] = {}
    for path, methods in document()["paths"].items():
        for method in METHODS:
            if method in methods:
                tag = methods[method]["tags"][0]
                found.setdefault(tag, []).append(_operation(path, method, methods[method]))
    names = sorted(found, key=lambda name: (name != FIRST, name))
    return tuple(OperationGroup(name=name, operations=tuple(found[name])) for name in names)


def _operation(path: str, method: str, said: Json) -> ApiOperation:
    body = said.get("requestBody", {}).get("content", {})
    return ApiOperation(
        anchor=said["operationId"],
        method=method.upper(),
        path=path,
        text=said.get("description", ""),
        is_deprecated=said.get("deprecated", False),
        takes_token=any("token" in each for each in said.get("security", ())),
        parameters=tuple(map(_parameter, said.get("parameters", ()))),
        fields=tuple(_fields(body)),
        example=_example(body),
        answers=tuple(_answer(status, each) for status, each in said["responses"].items()),
    )


def _parameter(said: Json) -> NamedField:
    return NamedField(
        name=said["name"], kind=_kind(said.get("schema", {})), text=said.get("description", "")
    )


def _fields(body: Json) -> Iterator[NamedField]:
    for media in body.values():
        schema = _resolved(media.get("schema", {}))
        for name, each in schema.get("properties", {}).items():
            if not each.get("readOnly"):
                yield NamedField(name=name, kind=_kind(each), text=each.get("description", ""))


def _example(body: Json) -> str:
    examples = (
        each["value"] for said in body.values() for each in said.get("examples", {}).values()
    )
    found = next(examples, "")
    return found if isinstance(found, str) else json.dumps(found, indent=2)


def _answer(status: str, said: Json) -> NamedField:
    content = said.get("content", {})
    schema: Json = next((each.get("schema", {}) for each in content.values()), {})
    fields = ", ".join(_resolved(schema).get("properties", {}))
    text = said.get("description", "") or fields
    return NamedField(name=status, kind=", ".join(content), text=text)


def _kind(schema: Json) -> str:
    """Return a type in a few words."""
    whole = _resolved(schema)
    if "enum" in whole:
        return " | ".join(str(each) for each in whole["enum"])
    kinds = whole.get("type", "object")
    if kinds == "array":
        return f"list of {_kind(whole.get('items', {}))}"
    words = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    return f"{words} ({whole['format']})" if "format" in whole else words


def _resolved(schema: Json) -> Json:
    """Return what a reference stands for."""
    for name in ("allOf", "oneOf", "anyOf"):
        if name in schema:
            return _resolved(schema[name][0])
    if "$ref" not in schema:
        return schema
    found: Json = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return _resolved(found)
