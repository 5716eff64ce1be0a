"""The demo's parties and the file that hands their logins out."""

import json
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.test import RequestFactory

from apps.fleet.models import ProjectTenant
from apps.operations.management.commands.demo import make_parties
from apps.telemetry.models import Source
from apps.tenancy.credentials import verify
from apps.tenancy.models import Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make

pytestmark = pytest.mark.django_db


def start(var: Path, port: int = 9090) -> dict[str, object]:
    """Do what a start does once the portal is ready; return what the file says."""
    make_parties(var=var, base_url="http://127.0.0.1:8000", prometheus_port=port)
    read: dict[str, object] = json.loads((var / "demo.json").read_text(encoding="utf-8"))
    return read


def test_the_file_is_its_owners_alone_and_every_login_and_token_works(
    tmp_path: Path, rf: RequestFactory
) -> None:
    demo = start(tmp_path)

    assert (tmp_path / "demo.json").stat().st_mode & 0o777 == 0o600
    assert demo["simulated"] is True
    logins = demo["organizations"]
    assert isinstance(logins, list)
    assert [each["slug"] for each in logins] == [
        *("aurora", "keel", "verdant", "strata", "northwind", "lumen")
    ]
    for login in logins:
        token = verify(presented=login["token"], scope=TokenScope.INGEST, now=make.AT)
        assert token.organization_id == Organization.objects.get(slug=login["slug"]).pk
        assert authenticate(rf.get("/"), username=login["user"], password=login["password"])


def test_a_second_start_keeps_epoch_and_secrets_and_follows_the_new_port(tmp_path: Path) -> None:
    first = start(tmp_path, port=9090)
    second = start(tmp_path, port=9191)

    assert second["epoch"] == first["epoch"]
    assert second["organizations"] == first["organizations"]
    aurora = Organization.objects.get(slug="aurora")
    with organization_scope(aurora.pk):
        assert Source.objects.get().url == "http://127.0.0.1:9191/aurora"


def test_a_lost_file_gets_new_secrets(tmp_path: Path) -> None:
    first = start(tmp_path)
    (tmp_path / "demo.json").unlink()
    second = start(tmp_path)

    assert second["organizations"] != first["organizations"]


def test_the_tenants_own_their_projects_and_everything_is_marked_simulated(tmp_path: Path) -> None:
    start(tmp_path)

    assert not Organization.objects.filter(is_simulated=False).exists()
    northwind = Organization.objects.get(slug="northwind")
    with organization_scope(northwind.pk):
        assert ProjectTenant.objects.get().project == "solar"
