"""What is said of the interface to programs and people, and of addresses that are not there."""

from typing import Any

import pytest
from django.test import Client

from tests.contracts.interface_file import FILE, WHOLE

pytestmark = pytest.mark.django_db


def operations() -> list[dict[str, Any]]:
    """Return every operation that is described."""
    return [each for methods in WHOLE["paths"].values() for each in methods.values()]


def test_the_description_is_served_as_it_was_reviewed() -> None:
    answer = Client().get("/api/v1/openapi.yaml")

    assert answer["Content-Type"].startswith("application/yaml")
    assert answer.content == FILE.read_bytes()


def test_the_page_names_every_operation() -> None:
    page = Client().get("/reference/").content.decode()

    assert [
        each["operationId"] for each in operations() if f'id="{each["operationId"]}"' not in page
    ] == []
    assert "http://" not in page.replace("http://127.0.0.1", "")
    # Nothing is fetched from elsewhere; an example names an address.
    assert "https://" not in page.replace("https://git.example.com/", "")


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/api/v1/log", "/api/v1/logs"),
        ("/api/v1/openapi.yml", "/api/v1/openapi.yaml"),
        ("/v1/log", "/v1/logs"),
        ("/loki/api/v1/pusch", "/loki/api/v1/push"),
        ("/api/v1/o/nobody/incident/", "/api/v1/o/nobody/incidents/"),
        ("/api/v1/incidents/", "/api/v1/o/{organization}/incidents/"),
        ("/api/v1/session/SES-1/", "/api/v1/o/{organization}/sessions/"),
        ("/api/v1/organizations/", ""),
        ("/api/v1/me/", ""),
        ("/api/v2/", ""),
        ("/api/entirely/something/else", ""),
    ],
)
def test_an_address_that_is_not_there_is_a_problem_document(path: str, meant: str) -> None:
    answer = Client().get(path)

    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"
    ends = f"describes all there are; did you mean `{meant}`?" if meant else "all there are."
    assert answer.json()["detail"].endswith(ends)


def test_people_read_a_page_where_nothing_is() -> None:
    assert Client().get("/nowhere/")["Content-Type"].startswith("text/html")


def test_a_table_is_described_as_one() -> None:
    exports = [each for each in operations() if each["operationId"].endswith("_csv")]

    assert len(exports) >= 13
    assert all(list(each["responses"]["200"]["content"]) == ["text/csv"] for each in exports)


def test_pages_are_described_with_the_cursor_of_the_next_one() -> None:
    pages = {
        name: schema["properties"]
        for name, schema in WHOLE["components"]["schemas"].items()
        if "next" in schema.get("properties", {})
    }

    assert len(pages) > 15
    assert [name for name, said in pages.items() if "next_cursor" not in said] == []


def test_what_is_for_people_alone_takes_no_token() -> None:
    people = [
        each
        for path, methods in WHOLE["paths"].items()
        if "/notifications/" in path or "/members/" in path or "/invitations/" in path
        for each in methods.values()
    ]

    assert len(people) > 10
    assert all(each["security"] == [{"cookieAuth": []}] for each in people)
