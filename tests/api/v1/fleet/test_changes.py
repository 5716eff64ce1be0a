"""Changes of a cluster by REST: one's own, and others' as they show them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.fleet.models import Participation
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.changes import changed
from tests.cast.clients import token
from tests.cast.incidents import Cast, assemble

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


def _told(cast: Cast) -> None:
    now = timezone.now()  # noqa: TID251  lists look back from now
    changed(cast.operator, cast.cluster, starts_at=now - timedelta(hours=3))


def _read(cast: Cast, who: Organization, **query: str) -> list[dict[str, object]]:
    answer = token(who).get(f"clusters/{cast.cluster.slug}/changes/", **query)
    assert answer.status_code == 200, answer.content
    found: list[dict[str, object]] = answer.json()["results"]
    return found


def test_its_owner_reads_all_of_it(cast: Cast) -> None:
    _told(cast)
    (row,) = _read(cast, cast.operator)
    assert row["hosts"] == ["gpu001"]
    assert (row["key"], row["told_by"], row["hidden"]) == (
        *("rollout-17", cast.operator.slug, False),
    )


def test_others_read_what_an_agreement_shows_and_that_is_on_record(cast: Cast) -> None:
    _told(cast)
    assert _read(cast, cast.tenant) == []
    rule = SharingRule(data="changes:*", level=Level.SIGNAL)
    agreed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: [rule]})
    (row,) = _read(cast, cast.tenant)
    assert (row["hidden"], row["hosts"], row["title"], row["key"], row["id"]) == (
        *(True, None, "", "", ""),
    )
    assert _read(cast, cast.vendor) == []
    with organization_scope(cast.operator.pk):
        assert LedgerEntry.objects.get().channel == "rest"


def test_who_is_no_party_finds_no_list(cast: Cast) -> None:
    _told(cast)
    path = f"clusters/{cast.cluster.slug}/changes/"
    assert token(cast.stranger).get(path).status_code == 404
    asking = token(cast.tenant)
    assert asking.get(path).status_code == 200
    with organization_scope(cast.tenant.pk):
        Participation.objects.filter(organization=cast.tenant).delete()
    assert asking.get(path).status_code == 404


def test_a_token_that_only_pushes_reads_nothing(cast: Cast) -> None:
    _told(cast)
    asking = token(cast.operator, TokenScope.INGEST)
    assert asking.get(f"clusters/{cast.cluster.slug}/changes/").status_code in {403, 404}
