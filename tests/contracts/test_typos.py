"""A misspelt parameter or key is refused by every route, with what was meant; never ignored."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from rest_framework.serializers import ValidationError

from apps.api.v1.queries import READ, TAKEN
from apps.diagnosis.spelling import MOST_TOLD
from apps.tenancy.models import MemberRole
from tests.cast import pushes
from tests.cast.clients import Asking, member
from tests.cast.incidents import Cast
from tests.contracts.described_receivers import DESCRIBED
from tests.contracts.interface_file import WHOLE
from tests.contracts.route_matrix import PARAMETER, PUSHES

pytestmark = pytest.mark.sweep

METHODS = ("get", "post", "put", "patch", "delete")
Handler = Callable[..., Any]


def handlers() -> list[tuple[str, str, Handler]]:
    """Return method, path below the organization and handler of everything in the interface."""
    found = []
    for pattern, view in _views(get_resolver().url_patterns, ""):
        _, inside, rest = pattern.partition("api/v1/o/<str:organization>/")
        for method in METHODS if inside else ():
            handler = getattr(view, method, None)
            if handler is not None:
                found.append((method.upper(), PARAMETER.sub("x", rest), handler))
    return found


def _views(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, Any]]:
    for each in patterns:
        here = before + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from _views(each.url_patterns, here)
        elif hasattr(each.callback, "view_class"):
            yield here, each.callback.view_class


@pytest.fixture
def asking(cast: Cast) -> Asking:
    """Ask as an admin."""
    return member(cast.tenant, MemberRole.ADMIN)


def errors(answer: Any) -> dict[str, str]:
    """Return field → refusal of a problem document; nothing for any other answer."""
    if answer.status_code != 400 or answer["Content-Type"] != "application/problem+json":
        return {}
    return {each["field"]: each["detail"] for each in answer.json().get("errors", ())}


def send(asking: Asking, method: str, path: str, body: Any = None) -> Any:
    """Send a request below the organization, without a body where there is none to send."""
    if method == "GET":
        return asking.client.get(f"/api/v1/o/{asking.organization.slug}/{path}")
    return asking.send(method, path, body)


def test_there_are_as_many_handlers_as_the_interface_has() -> None:
    assert len(handlers()) > 50


def test_every_route_refuses_a_parameter_that_it_does_not_know(asking: Asking) -> None:
    ignoring = [
        (method, path)
        for method, path, _ in handlers()
        if "sesion" not in errors(send(asking, method, f"{path}?sesion=x"))
    ]

    assert ignoring == []


def test_every_route_names_the_parameter_that_was_meant(asking: Asking) -> None:
    silent = [
        (method, path, name)
        for method, path, handler in handlers()
        for name in getattr(handler, TAKEN, ())
        if f"did you mean `{name}`?"
        not in errors(send(asking, method, f"{path}?{name}x=1")).get(f"{name}x", "")
    ]

    assert silent == []


def test_every_route_refuses_a_key_that_it_does_not_read(asking: Asking) -> None:
    ignoring = [
        (method, path)
        for method, path, handler in handlers()
        if method != "GET"
        and ("sesion" if getattr(handler, READ, None) else "")
        not in errors(send(asking, method, path, {"sesion": "x"}))
    ]

    assert ignoring == []


def test_every_route_names_the_key_that_was_meant(asking: Asking) -> None:
    entries = [each for each in handlers() if hasattr(each[2], READ)]
    silent = [
        (method, path, name)
        for method, path, handler in entries
        for name, field in getattr(handler, READ)().fields.items()
        if not field.read_only
        and f"did you mean `{name}`?"
        not in errors(send(asking, method, path, {f"{name}x": 1})).get(f"{name}x", "")
    ]

    assert len(entries) > 10
    assert silent == []


def test_every_route_refuses_what_is_no_json(asking: Asking) -> None:
    at = f"/api/v1/o/{asking.organization.slug}/"
    taken = [
        (method, path, body)
        for method, path, _ in handlers()
        if method != "GET"
        for body in (b'{"broken": ', b"\x93\xff\x00\x17random")
        if asking.client.generic(
            method, at + path, body, content_type="application/json"
        ).status_code
        != 400
    ]

    assert taken == []


def test_thousands_of_unknown_names_are_told_of_a_few(asking: Asking) -> None:
    many = {f"name{number}": 1 for number in range(5000)}
    answers = [
        asking.get("incidents/", **dict(list(many.items())[:900])),
        asking.post("sources/", many),
    ]

    assert [len(errors(each)) for each in answers] == [MOST_TOLD, MOST_TOLD]


@pytest.fixture
def people(db: None) -> pushes.Cast:
    """Return the parties of a cluster with their tokens."""
    return pushes.cast()


@pytest.mark.parametrize("path", sorted(PUSHES))
def test_every_receiver_refuses_a_parameter_that_it_does_not_know(
    people: pushes.Cast, path: str
) -> None:
    token = people.token(people.operator)
    kinds = DESCRIBED[f"/{path}"]["requestBody"]["content"]
    kind = next(iter(kinds))
    examples = kinds[kind].get("examples", {"none": {"value": {}}})
    body = json.dumps(next(iter(examples.values()))["value"])
    known = [each["name"] for each in DESCRIBED[f"/{path}"].get("parameters", [])]

    answer = Client().post(
        f"/{path}?clustr=x",
        body.encode(),
        content_type=kind,
        headers={"Authorization": f"Bearer {token}"},
    )

    told = answer.content.decode()
    assert answer.status_code == 400
    assert "clustr" in told
    assert "cluster" in known or not known
    assert ("did you mean `cluster`?" if known else "no parameters are taken") in told


def test_what_is_described_is_what_is_taken() -> None:
    described = WHOLE["paths"]
    differ = [
        (path, method)
        for path, methods in described.items()
        for method, said in methods.items()
        if path.startswith("/api/v1/o/") and _described(said) != _taken(path, method)
    ]

    assert differ == []


def _described(said: dict[str, Any]) -> tuple[set[str], bool]:
    names = {each["name"] for each in said.get("parameters", ()) if each["in"] == "query"}
    return names, "requestBody" in said


def _taken(path: str, method: str) -> tuple[set[str], bool]:
    view = resolve(re.sub(r"\{\w+\}", "x", path)).func
    handler = getattr(view.view_class, method)  # type: ignore[attr-defined]  # of class views
    return set(getattr(handler, TAKEN, ())), hasattr(handler, READ)


def test_every_field_of_words_names_the_one_that_was_meant() -> None:
    fields = {
        name: field
        for _, _, handler in handlers()
        if hasattr(handler, READ)
        for name, field in getattr(handler, READ)().fields.items()
        if hasattr(getattr(field, "child", field), "choices")
    }
    silent = []
    for name, field in fields.items():
        words = getattr(field, "child", field)
        word = next(iter(words.choices))
        with pytest.raises(ValidationError) as refused:
            words.run_validation(f"{word}x")
        if f"did you mean `{word}`?" not in str(refused.value):
            silent.append(name)

    assert len(fields) > 5
    assert silent == []


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("incidents/?status=opne", "status: there is no `opne` here; one of open, resolved, "),
        ("incidents/?layer=gpuu", "did you mean `gpu`?"),
        ("warnings/?kind=warnings", "did you mean `warning`?"),
    ],
)
def test_a_filter_names_the_value_that_was_meant(asking: Asking, path: str, meant: str) -> None:
    answer = asking.client.get(f"/api/v1/o/{asking.organization.slug}/{path}")

    assert answer.status_code == 400
    assert meant in answer.json()["detail"]
