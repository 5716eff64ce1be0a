"""Portals that are set up from a description."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from apps.fleet.models import Cluster, Node, Participation, ProjectTenant
from apps.telemetry.models import Source
from apps.tenancy.models import (
    Invitation,
    Membership,
    Organization,
    Token,
    User,
)
from apps.tenancy.scope import organization_scope

FILE = """
cluster: {slug: meridian, name: Meridian}
organizations:
  - slug: aurora
    name: Aurora Cloud
    parts: [operator]
    admin: aurora-admin
    members:
      - {user: ops-1, name: Oleg Petrov, email: oleg@aurora.example, role: responder}
    token: collector
    tokens:
      - {name: shipper, scopes: [ingest], days: 90}
    sources:
      - {name: Prometheus, url: "https://prometheus.aurora.example", networks: ["10.42.0.0/16"]}
    hosts:
      gpu017: [gpu017.aurora.example, 10.42.0.17]
  - slug: northwind
    name: Northwind AI
    parts: [tenant]
    projects: [solar]
"""
LINK = re.compile(r"link for (\S+), works once, for seven days: http://[^/]+(/join/\S+)")
PASSWORD = "correct horse battery"  # noqa: S105  of a test
OWNED = (Participation, Membership, Token, Source, ProjectTenant, Node, Invitation)
ROOT = Path(__file__).parents[3]


def set_up(*arguments: str) -> str:
    """Run the command and return what it printed."""
    said = StringIO()
    call_command("setup", *arguments, stdout=said)
    return said.getvalue()


def refused(path: Path, text: str) -> str:
    """Return why a file with this text is refused."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError) as refusal:
        set_up("--file", str(path))
    assert refusal.value.returncode == 2
    return str(refusal.value)


def counted() -> list[int]:
    """Return how many rows there are, of everybody's."""
    ids = list(Organization.objects.values_list("id", flat=True))
    with organization_scope(*ids):
        owned = [model.objects.count() for model in OWNED]
    return [Cluster.objects.count(), User.objects.count(), len(ids), *owned]


def described_with_limit(path: Path, size: str) -> Path:
    """Describe the parties, one with a limit of its own."""
    path.write_text(f"{FILE}    max_stored_bytes: {size}\n", encoding="utf-8")
    return path
