"""A client that openapi-python-client makes of the served description works with the portal."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of

# Another Python than the one that runs the tests may have it.
PYTHON = os.environ.get("OPENAPI_CLIENT_PYTHON", "")
IS_HERE = bool(PYTHON) or importlib.util.find_spec("openapi_python_client") is not None
pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(
        not IS_HERE,
        reason="no openapi-python-client: the description was read, and no client made of it; "
        "name a Python that has it in OPENAPI_CLIENT_PYTHON to try it",
    ),
    pytest.mark.django_db(transaction=True),
]
GENERATE = (
    *("-m", "openapi_python_client", "generate", "--meta", "none", "--overwrite"),
    *("--path", "openapi.yaml", "--output-path", "faultline_client"),
)
PROGRAM = """
import sys
from faultline_client import AuthenticatedClient
from faultline_client.api.incidents import (
    annotation_create, annotation_list, incident_export_json, incident_list,
    incidents_export_csv, timeline_list)
from faultline_client.models import AnnotationEntry, Problem

url, token, organization = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True)

seen, cursor = [], None
while True:
    more = {"cursor": cursor} if cursor else {}
    page = incident_list.sync(organization, client=client, limit=2, **more)
    seen += [each.id for each in page.results]
    cursor = page.next_cursor
    if cursor is None:
        break
print("listed", len(seen), len(set(seen)))

table = incidents_export_csv.sync(organization, client=client)
print("exported", len(table.splitlines()) - 1, all(each in table for each in seen))
whole = incident_export_json.sync(organization, seen[0], client=client)
print("whole", whole["incident"]["id"] == seen[0])

note = AnnotationEntry(text="Seen by a program.")
made = annotation_create.sync(organization, seen[0], client=client, body=note)
notes = annotation_list.sync(organization, seen[0], client=client)
print("annotated", made.text, [each.id for each in notes.results] == [made.id])
print("story", timeline_list.sync(organization, seen[0], client=client).next_cursor)

refused = annotation_create.sync(
    organization, seen[0], client=client, body=AnnotationEntry(text=""))
print("refused", isinstance(refused, Problem), refused.code)
"""
EXPECTED = [
    "listed 5 5",
    "exported 5 True",
    "whole True",
    "annotated Seen by a program. True",
    "story None",
    "refused True invalid",
]


def test_it_lists_pages_exports_and_annotates(
    live_server: LiveServer, cast: Cast, tmp_path: Path
) -> None:
    for _ in range(5):
        stop_of(cast, attempt_of(cast, cast.tenant))
    (tmp_path / "openapi.yaml").write_bytes(Client().get("/api/v1/openapi.yaml").content)

    _run(tmp_path, *GENERATE)
    token = make.token(organization=cast.tenant)
    told = _run(tmp_path, "-c", PROGRAM, live_server.url, token, cast.tenant.slug)

    assert told.splitlines() == EXPECTED


def _run(directory: Path, *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603  the generator, and what it made
        [PYTHON or sys.executable, *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
