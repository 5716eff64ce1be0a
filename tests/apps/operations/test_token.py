"""What `manage.py token` makes and tells of ends and clusters, and what it refuses."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.fleet.models import Cluster
from apps.tenancy import credentials
from apps.tenancy.credentials import authenticate
from apps.tenancy.models import Organization, Token, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make


@pytest.fixture
def organization(db: None) -> Organization:
    """Whose tokens these are."""
    return make.organization()


@pytest.fixture
def cluster(organization: Organization) -> Cluster:
    """Return a cluster that it takes part in."""
    cluster = make.cluster("meridian")
    make.participation(organization=organization, cluster=cluster)
    return cluster


def _run(act: str, organization: Organization, *words: str) -> str:
    out = StringIO()
    call_command("token", act, organization.slug, *words, stdout=out)
    return out.getvalue()


def _issue(organization: Organization, *words: str) -> str:
    return _run("issue", organization, "--name", "shipper", "--scope", "ingest", *words).strip()


def test_a_token_writes_to_the_clusters_that_are_named(
    organization: Organization, cluster: Cluster
) -> None:
    clear_text = _issue(organization, "--cluster", "meridian", "--cluster", "meridian")

    assert authenticate(presented=clear_text, now=make.AT).clusters == [cluster.pk]
    assert "clusters meridian" in _run("list", organization)


@pytest.mark.parametrize("slug", ["99", "foreign", "nope"])
def test_no_token_is_made_for_a_cluster_without_the_organization(
    organization: Organization, cluster: Cluster, slug: str
) -> None:
    make.cluster("foreign")
    with pytest.raises(CommandError, match=f"takes part in no cluster '{slug}'.*: meridian$"):
        _issue(organization, "--cluster", slug)

    assert _run("list", organization) == ""


@pytest.mark.parametrize("days", ["0", "-1", "99999999999"])
def test_an_end_that_is_none_is_refused(organization: Organization, days: str) -> None:
    with pytest.raises(CommandError, match=f"--days {days}: give 1 to"):
        _issue(organization, "--days", days)

    assert _run("list", organization) == ""


def test_a_token_ends_after_its_days(organization: Organization) -> None:
    _issue(organization, "--days", "90")
    with organization_scope(organization.pk):
        token = Token.objects.for_organization(organization).get()

    assert token.expires_at == token.created_at + timedelta(days=90)
    assert f"alive  ends {token.expires_at:%Y-%m-%d %H:%MZ}" in _run("list", organization)


def test_a_list_tells_the_living_from_the_expired_and_the_revoked(
    organization: Organization,
) -> None:
    with organization_scope(organization.pk):
        for name, end in (("a-old", datetime(2020, 2, 3, 4, 5, tzinfo=UTC)), ("b-gone", None)):
            credentials.issue(
                organization=organization,
                name=name,
                scopes=frozenset({TokenScope.INGEST}),
                expires_at=end,
                now=make.AT,
            )
    _run("revoke", organization, "--name", "b-gone")
    _issue(organization)
    old, gone, living = _run("list", organization).splitlines()

    assert "  expired  ends 2020-02-03 04:05Z  clusters none  used never" in old
    assert "  revoked  ends never" in gone
    assert "  alive  ends never" in living


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "a\nb", "x" * 81])
def test_a_name_that_lists_could_not_show_is_refused(organization: Organization, name: str) -> None:
    with pytest.raises(CommandError, match="one line of at most 80"):
        _run("issue", organization, "--name", name, "--scope", "ingest")
    with organization_scope(organization.pk):
        assert not Token.objects.exists()
