"""What docs/openapi.yaml says of the receivers is what they do: examples, answers, refusals."""

import json
from typing import Any

import pytest
from django.test import Client

from apps.tenancy.models import TokenScope
from tests.cast import pushes
from tests.contracts.described_receivers import DESCRIBED, resolved
from tests.contracts.route_matrix import PUSHES

EXAMPLES = [
    (path, kind, example["value"])
    for path, post in DESCRIBED.items()
    for kind, content in post["requestBody"]["content"].items()
    for example in content.get("examples", {}).values()
]
ODD = {"/api/v1/write": "application/x-protobuf"}


@pytest.fixture
def people(db: None) -> pushes.Cast:
    """Return the parties of a cluster with their tokens."""
    return pushes.cast()


def send(path: str, body: Any, kind: str = "", token: str = "", query: str = "") -> Any:
    """Push something."""
    data = body if isinstance(body, str | bytes) else json.dumps(body)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    kind = kind or ODD.get(path, "application/json")
    return Client().post(path + query, data, content_type=kind, headers=headers)


def test_every_receiver_is_described() -> None:
    assert set(DESCRIBED) == {f"/{pattern}" for pattern in PUSHES}
    # A body of bytes; a trace of a session that there has to be.
    without = {"/api/v1/write", "/api/v1/step-traces"}
    assert {path for path, _, _ in EXAMPLES} == set(DESCRIBED) - without
    assert all(post["requestBody"]["required"] for post in DESCRIBED.values())


@pytest.mark.parametrize("path", sorted(DESCRIBED))
def test_its_description_names_the_parameters_that_it_takes(people: pushes.Cast, path: str) -> None:
    token = people.token(people.operator)
    named = [each["name"] for each in DESCRIBED[path].get("parameters", ())]
    query = "&".join(f"{name}=" for name in [*named, "not_named"])

    answer = send(path, "{}", token=token, query=f"?{query}")

    assert answer.status_code == 400
    refused = answer.content.decode(errors="replace")
    assert "`not_named`" in refused
    assert [name for name in named if f"`{name}`: " in refused] == []


def test_what_is_tried_again_says_when() -> None:
    with_header = {
        status
        for post in DESCRIBED.values()
        for status, answer in post["responses"].items()
        if "Retry-After" in answer.get("headers", {})
    }

    assert with_header == {"429", "503"}


@pytest.mark.parametrize(("path", "kind", "example"), EXAMPLES)
def test_an_example_is_taken_as_it_says(
    people: pushes.Cast, path: str, kind: str, example: Any
) -> None:
    is_of_job = "session" in path or "recovery" in path
    sender = people.tenant if is_of_job else people.operator
    answer = send(path, example, kind, people.token(sender))
    # 202 is for what is larger than an example.
    status = min(code for code in DESCRIBED[path]["responses"] if code.startswith("2"))

    assert str(answer.status_code) == status, answer.content
    content = DESCRIBED[path]["responses"][status].get("content", {})
    named = resolved(content.get("application/json", {}).get("schema", {})).get("required", [])
    assert set(json.loads(answer.content or "{}")) >= set(named)
    assert not json.loads(answer.content or "{}").get("rejected")


@pytest.mark.parametrize("path", sorted(DESCRIBED))
def test_what_is_refused_is_refused_as_described(people: pushes.Cast, path: str) -> None:
    token = people.token(people.operator)
    reads = pushes.token(people.tenant, people.cluster, scope=TokenScope.READ)
    answers = {
        400: send(path, b"\x00\xff" if path != "/api/v1/logs" else b"", token=token),
        401: send(path, "{}"),
        403: send(path, "{}", token=reads),
        413: Client().post(
            path,
            "{}",
            content_type=ODD.get(path, "application/json"),
            headers={"Authorization": f"Bearer {token}"},
            CONTENT_LENGTH=str(10**12),
        ),
    }

    assert {code: each.status_code for code, each in answers.items()} == {c: c for c in answers}
    assert {str(code) for code in answers} <= set(DESCRIBED[path]["responses"])
