"""The record is appended to, told apart by organization, and says when it was changed."""

import pytest
from django.db import DatabaseError, connections, transaction

from apps.tenancy.audit import Deed, first_broken, record
from apps.tenancy.models import AuditEntry, Organization
from apps.tenancy.scope import SETTING, organization_scope
from tests import make


def _record(organization: Organization, *actions: str) -> None:
    with organization_scope(organization.pk):
        for action in actions:
            record(organization_id=organization.pk, deed=Deed(action=action), now=make.AT)


def _first_broken(organization: Organization) -> int | None:
    with organization_scope(organization.pk):
        return first_broken(organization_id=organization.pk)


@pytest.mark.django_db
def test_each_organization_has_a_chain_of_its_own() -> None:
    first, second = make.organization(), make.organization()
    _record(first, "a", "b")
    _record(second, "c")
    with organization_scope(first.pk, second.pk):
        places = AuditEntry.objects.order_by("id").values_list("organization_id", "sequence")
        assert list(places) == [(first.pk, 1), (first.pk, 2), (second.pk, 1)]

    assert _first_broken(first) is None
    assert _first_broken(second) is None


@pytest.mark.django_db
def test_the_application_can_not_change_or_remove_an_entry() -> None:
    organization = make.organization()
    _record(organization, "a")
    with organization_scope(organization.pk):
        entries = AuditEntry.objects.for_organization(organization)
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            entries.update(action="b")
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            entries.delete()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE tenancy_auditentry SET actor = 'somebody else' WHERE sequence = 2",
        "DELETE FROM tenancy_auditentry WHERE sequence = 2",
    ],
)
def test_an_entry_that_was_changed_behind_the_portal_is_found(tampering: str) -> None:
    organization = make.organization()
    _record(organization, "a", "b", "c")
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [SETTING, str(organization.pk)])
        cursor.execute(tampering)

    assert _first_broken(organization) == 2


@pytest.mark.django_db
def test_what_people_typed_forges_no_lines() -> None:
    organization = make.organization()
    _record(organization, "sign_in\r\nforged \x1b[31m" + "x" * 200)
    with organization_scope(organization.pk):
        (entry,) = AuditEntry.objects.for_organization(organization)

    assert entry.action.isprintable()
    assert len(entry.action) == 60
