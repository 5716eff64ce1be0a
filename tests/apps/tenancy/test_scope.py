"""The scope decides which rows exist, and leaves nothing behind."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from apps.tenancy.models import Membership, Organization
from apps.tenancy.scope import SETTING, organization_scope
from tests.cast import make
from tests.cast.scopes import current_scope


class Broken(Exception):
    """What goes wrong in a block."""


@pytest.fixture
def two(db: None) -> tuple[Organization, Organization]:
    """Two organizations with one member each."""
    first, second = make.organization(), make.organization()
    make.user(organization=first)
    make.user(organization=second)
    return first, second


def _seen() -> set[int]:
    return set(Membership.objects.values_list("organization_id", flat=True))


def test_without_a_scope_there_are_no_rows(two: tuple[Organization, Organization]) -> None:
    assert _seen() == set()


def test_a_scope_holds_its_organizations_and_no_other(
    two: tuple[Organization, Organization],
) -> None:
    first, second = two
    with organization_scope(first.pk):
        assert _seen() == {first.pk}
    with organization_scope(first.pk, second.pk):
        assert _seen() == {first.pk, second.pk}
    assert _seen() == set()


def test_an_inner_scope_replaces_the_outer_one_and_puts_it_back(
    two: tuple[Organization, Organization],
) -> None:
    first, second = two
    with organization_scope(first.pk):
        with organization_scope(second.pk):
            assert _seen() == {second.pk}
        assert _seen() == {first.pk}
    assert current_scope() == ""


def test_an_inner_scope_that_fails_puts_the_outer_one_back(
    two: tuple[Organization, Organization],
) -> None:
    first, second = two
    with organization_scope(first.pk):
        with pytest.raises(Broken), organization_scope(second.pk):
            raise Broken
        assert _seen() == {first.pk}


def test_a_broken_statement_leaves_no_scope(two: tuple[Organization, Organization]) -> None:
    first, _ = two
    with pytest.raises(Exception, match="division by zero"), organization_scope(first.pk):
        connection.cursor().execute("SELECT 1/0")
    assert _seen() == set()


def test_an_organization_of_nobody_is_no_way_to_all(
    two: tuple[Organization, Organization],
) -> None:
    with organization_scope():
        assert _seen() == set()


def test_only_numbers_become_a_scope(two: tuple[Organization, Organization]) -> None:
    with pytest.raises(ValueError, match="invalid literal"), organization_scope("1,2"):  # type: ignore[arg-type]
        pass


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_is_used_again_remembers_nothing() -> None:
    organization = make.organization()
    make.user(organization=organization)
    with pytest.raises(Broken), organization_scope(organization.pk):
        raise Broken

    assert _seen() == set()
    # Outside of a transaction a local setting ends with its statement.
    connection.cursor().execute("SELECT set_config(%s, %s, true)", [SETTING, str(organization.pk)])
    assert _seen() == set()


@pytest.mark.django_db(transaction=True)
def test_two_threads_that_change_scopes_never_see_each_others_rows() -> None:
    organizations = [make.organization(), make.organization()]
    for each in organizations:
        make.user(organization=each)

    def switch(organization: Organization) -> set[int]:
        seen: set[int] = set()
        for _ in range(50):
            with organization_scope(organization.pk):
                seen |= _seen()
            with transaction.atomic():
                seen |= _seen()
        connection.close()
        return seen

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(switch, organizations)) == [{each.pk} for each in organizations]
