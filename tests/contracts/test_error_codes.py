"""Codes of refusals are written in one form, wherever they come from, and described so."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from apps.api.problems import CODE, TITLES
from apps.api.receivers.requests.errors import REFUSALS
from apps.api.v1.errors import KNOWN
from apps.operations.admission import refusal
from tests.cast import pushes
from tests.contracts.interface_file import WHOLE

ROOT = Path(__file__).parents[2]
FOLDERS = ("apps/api", "apps/telemetry", "apps/tenancy", "portal")
# A code in the source: as an argument of that name, as the value of that key.
WRITTEN = re.compile(r"""(?:\bcode=|"code": )f?"([^"{}]+)\"""")


def codes() -> Iterator[str]:
    """Yield every code of the source."""
    yield from (code for _, code, _ in KNOWN.values())
    yield from (code for _, code, *_ in REFUSALS.values())
    yield from (refusal.TOO_BIG, refusal.TOO_SLOW, refusal.BUSY, refusal.TOO_MANY)
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*.py"):
            yield from WRITTEN.findall(file.read_text(encoding="utf-8"))


def test_every_code_is_written_with_underscores() -> None:
    found = set(codes())
    assert {"not_found", "line_too_long", "method_not_allowed", "unavailable"} <= found
    assert {each for each in found if not re.fullmatch(CODE, each)} == set()


@pytest.mark.django_db
def test_rest_and_receivers_call_what_is_not_there_by_one_name() -> None:
    people = pushes.cast()
    token = {"Authorization": f"Bearer {people.token(people.tenant)}"}
    pushed = Client().post(
        "/api/v1/logs?session=x&cluster=elsewhere", b"a\n", content_type="text/plain", headers=token
    )
    read = Client().get(f"/api/v1/o/{people.tenant.slug}/incidents/INC-NONE/", headers=token)
    absent = Client().get("/api/v1/nowhere")
    assert {each.json()["code"] for each in (pushed, read, absent)} == {"not_found"}


def test_the_description_says_how_codes_are_written_and_which_there_are() -> None:
    described = WHOLE["components"]["schemas"]["Problem"]["properties"]["code"]
    assert described["pattern"] == CODE
    assert all(code in described["description"] for _, code, _ in KNOWN.values())


def test_documents_of_refusals_are_made_in_one_place() -> None:
    made = [
        str(file.relative_to(ROOT))
        for folder in ("apps", "portal")
        for file in (ROOT / folder).rglob("*.py")
        if "about:blank" in file.read_text(encoding="utf-8")
    ]
    assert made == ["apps/api/problems.py"]


@pytest.mark.django_db
def test_rest_receivers_and_the_edge_title_a_status_alike() -> None:
    people = pushes.cast()
    token = {"Authorization": f"Bearer {people.token(people.tenant)}"}
    pushed = Client().post(
        "/api/v1/logs?session=x&cluster=elsewhere", b"a\n", content_type="text/plain", headers=token
    )
    read = Client().get(f"/api/v1/o/{people.tenant.slug}/incidents/INC-NONE/", headers=token)
    absent = Client().get("/api/v1/nowhere")
    assert {each.json()["title"] for each in (pushed, read, absent)} == {TITLES[404]}
