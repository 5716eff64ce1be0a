"""How the description of the interface is put into the few words of its page."""

import json
from typing import Any

import pytest
from django.test import Client

from apps.api import reference
from apps.api.reference import NamedField, OperationGroup, groups
from tests.cast import make
from tests.cast.clients import member

SCHEMAS = {
    "Level": {"enum": ["raw", "facts"]},
    "Host": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "as the scheduler names it"},
            "seen_at": {"type": "string", "format": "date-time"},
            "id": {"type": "string", "readOnly": True},
        },
    },
}
LEVEL = {"$ref": "#/components/schemas/Level"}
HOST = {"$ref": "#/components/schemas/Host"}


def operation(**said: Any) -> dict[str, Any]:
    """Return what is said of one method, `responses` and `tags` if nothing else."""
    return {"operationId": "tell", "tags": ["sources"], "responses": {}} | said


def shown(monkeypatch: pytest.MonkeyPatch, **paths: Any) -> tuple[OperationGroup, ...]:
    """Return the page's groups of a description with these paths."""
    whole = {"paths": paths, "components": {"schemas": SCHEMAS}}
    monkeypatch.setattr(reference, "document", lambda: whole)
    return groups.__wrapped__()


def only(monkeypatch: pytest.MonkeyPatch, **said: Any) -> Any:
    """Return the one operation of a description."""
    ((found,),) = (
        group.operations for group in shown(monkeypatch, path={"post": operation(**said)})
    )
    return found


def test_what_pushes_comes_first_then_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    tags = ["push", "alpha", "nodes", "zeta"]
    paths = {tag: {"get": operation(tags=[tag])} for tag in sorted(tags)}
    assert [group.name for group in shown(monkeypatch, **paths)] == tags


def test_a_path_shows_its_methods_and_nothing_else_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"summary": "s", "parameters": [], "delete": operation(), "get": operation()}
    (group,) = shown(monkeypatch, path=said)
    assert [each.method for each in group.operations] == ["GET", "DELETE"]


@pytest.mark.parametrize(
    ("security", "takes_token"),
    [([{"token": []}], True), ([{"cookieAuth": []}, {"token": []}], True), ([{}], False)],
)
def test_it_says_what_takes_a_token(
    monkeypatch: pytest.MonkeyPatch, security: list[Any], *, takes_token: bool
) -> None:
    assert only(monkeypatch, security=security).takes_token is takes_token


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({}, "object"),
        ({"type": "integer"}, "integer"),
        ({"type": "string", "format": "date-time"}, "string (date-time)"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"type": "string", "enum": ["up", "down"]}, "up | down"),
        ({"type": "array", "items": {"type": "number"}}, "list of number"),
        ({"type": "array", "items": LEVEL}, "list of raw | facts"),
        ({"allOf": [LEVEL]}, "raw | facts"),
        ({"oneOf": [LEVEL, {"enum": [None]}]}, "raw | facts"),
    ],
)
def test_a_type_is_told_in_a_few_words(
    monkeypatch: pytest.MonkeyPatch, schema: dict[str, Any], kind: str
) -> None:
    found = only(monkeypatch, parameters=[{"name": "level", "schema": schema}])
    assert found.parameters == (NamedField(name="level", kind=kind, text=""),)


def test_of_a_body_the_fields_are_shown_that_one_may_send(monkeypatch: pytest.MonkeyPatch) -> None:
    media = {"schema": HOST, "examples": {"one": {"value": {"name": "gpu017"}}}}
    found = only(monkeypatch, requestBody={"content": {"application/json": media}})
    assert found.fields == (
        NamedField(name="name", kind="string", text="as the scheduler names it"),
        NamedField(name="seen_at", kind="string (date-time)", text=""),
    )
    assert json.loads(found.example) == {"name": "gpu017"}


def test_an_answer_says_what_it_is_else_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    content = {"application/json": {"schema": HOST}}
    found = only(
        monkeypatch,
        responses={
            "200": {"description": "", "content": content},
            "202": {"description": "Later.", "content": content},
            "204": {},
        },
    )
    assert found.answers == (
        NamedField(name="200", kind="application/json", text="name, seen_at, id"),
        NamedField(name="202", kind="application/json", text="Later."),
        NamedField(name="204", kind="", text=""),
    )


@pytest.mark.django_db
def test_who_is_signed_in_is_led_to_where_a_token_is_made() -> None:
    organization = make.organization()
    there = f'href="/o/{organization.slug}/sources/#new-token"'
    assert there in member(organization).client.get("/reference/").content.decode()
    assert "#new-token" not in Client().get("/reference/").content.decode()
