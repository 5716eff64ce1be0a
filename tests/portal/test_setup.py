"""`manage.py setup`: from a file or from words, and again."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from apps.fleet.models import Cluster, Participation, ProjectTenant
from apps.telemetry.models import Source
from apps.tenancy.credentials import verify
from apps.tenancy.models import Membership, Organization, Token, TokenScope, User
from apps.tenancy.scope import organization_scope
from tests import make

FILE = """
cluster: {slug: meridian, name: Meridian}
organizations:
  - slug: aurora
    name: Aurora Cloud
    parts: [operator]
    admin: aurora-admin
    token: collector
    sources:
      - {name: Prometheus, url: "https://prometheus.aurora.example", networks: ["10.42.0.0/16"]}
  - slug: northwind
    name: Northwind AI
    parts: [tenant]
    projects: [solar]
"""


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """Return a file that describes an operator and a tenant."""
    path = tmp_path / "parties.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


def set_up(*arguments: str) -> str:
    """Run the command and return what it printed."""
    said = StringIO()
    call_command("setup", *arguments, stdout=said)
    return said.getvalue()


@pytest.mark.django_db
def test_a_file_makes_parties_with_a_login_and_a_token_that_work(described: Path) -> None:
    said = set_up("--file", str(described))

    aurora = Organization.objects.get(slug="aurora")
    password = said.partition("user aurora-admin, password ")[2].split()[0]
    clear_text = said.partition("token collector: ")[2].split()[0]
    assert User.objects.get(username="aurora-admin").check_password(password)
    token = verify(presented=clear_text, scope=TokenScope.INGEST, now=make.AT)
    assert token.organization_id == aurora.pk
    assert token.clusters == [Cluster.objects.get(slug="meridian").pk]


@pytest.mark.django_db
def test_a_second_time_changes_nothing_and_prints_no_secret(described: Path) -> None:
    set_up("--file", str(described))
    again = set_up("--file", str(described))

    assert "password" not in again
    assert "collector" not in again
    ids = list(Organization.objects.values_list("id", flat=True))
    with organization_scope(*ids):
        counts = [model.objects.count() for model in (Participation, Membership, Token, Source)]
        assert counts == [2, 1, 1, 1]
        assert ProjectTenant.objects.get().project == "solar"


@pytest.mark.django_db
def test_one_organization_may_be_given_in_words() -> None:
    words = ("--organization", "strata", "--part", "storage_vendor", "--name", "Strata Storage")
    set_up("--cluster", "meridian", *words)

    strata = Organization.objects.get(slug="strata")
    with organization_scope(strata.pk):
        assert Participation.objects.get().layers == ["storage"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("organizations: []", "needs `cluster`"),
        ("cluster: {slug: m}\norganizations: [{slug: a, name: A, parts: [owner]}]", "owner"),
        ("cluster: {slug: m}\norganizations: [{slug: a, name: A}]", "missing ['parts']"),
        ("cluster: {slug: m}\norganizations: [{slug: a, name: A, parts: [], role: x}]", "role"),
        ("cluster: [", "needs `cluster`"),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "parties.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(CommandError) as refusal:
        set_up("--file", str(path))

    assert says in str(refusal.value)
