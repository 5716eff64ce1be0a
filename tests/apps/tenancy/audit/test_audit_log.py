"""The record is appended to, told apart by organization, and says when it was changed."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connections, transaction

from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.audit.chain import START, ChainVerification
from apps.tenancy.audit.verification import AUDIT, check_all, check_on
from apps.tenancy.models import AuditEntry, AuditPoint, Organization
from apps.tenancy.scope import SETTING, organization_scope
from tests.cast import make


def _record(organization: Organization, *actions: str) -> None:
    with organization_scope(organization.pk):
        for action in actions:
            record(organization_id=organization.pk, act=AuditAction(action=action), now=make.AT)


def _first_broken(organization: Organization) -> int | None:
    with organization_scope(organization.pk):
        return AUDIT._read(organization.pk, after=0, former=START, most=None)[0].broken


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
    _tamper(organization, tampering)

    assert _first_broken(organization) == 2


def _tamper(organization: Organization, how: str) -> None:
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [SETTING, str(organization.pk)])
        cursor.execute(how)


def _check_on(organization: Organization, most: int = 100) -> ChainVerification:
    with organization_scope(organization.pk):
        return check_on(organization_id=organization.pk, now=make.AT, most=most)


def _check_all(organization: Organization) -> ChainVerification:
    with organization_scope(organization.pk):
        return check_all(organization_id=organization.pk, now=make.AT)


@pytest.mark.django_db
def test_a_check_reads_on_from_where_the_last_one_came_to() -> None:
    organization = make.organization()
    _record(organization, *"abcde")

    assert _check_on(organization, 2) == ChainVerification(until=2, is_more=True)
    assert _check_on(organization, 2) == ChainVerification(
        since=2, since_at=make.AT, until=4, is_more=True
    )
    _record(organization, "f")
    assert _check_on(organization) == ChainVerification(since=4, since_at=make.AT, until=6)
    assert _check_on(organization) == ChainVerification(since=6, since_at=make.AT, until=6)
    assert _check_all(organization) == ChainVerification(until=6)


@pytest.mark.django_db
def test_a_check_that_finds_nothing_new_leaves_when_the_point_was_proven() -> None:
    organization = make.organization()
    _record(organization, "a")
    _check_on(organization)

    with organization_scope(organization.pk):
        check_on(organization_id=organization.pk, now=make.AT + timedelta(days=1))

    assert _check_on(organization) == ChainVerification(since=1, since_at=make.AT, until=1)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_what_was_changed_before_the_point_is_found_by_reading_all_and_then_by_every_check() -> (
    None
):
    organization = make.organization()
    _record(organization, *"abcde")
    _check_on(organization)
    _tamper(organization, "UPDATE tenancy_auditentry SET actor = 'else' WHERE sequence = 2")

    assert _check_on(organization).broken is None
    assert _check_all(organization).broken == 2
    assert _check_on(organization).broken == 2


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_reading_all_moves_the_point_to_the_end_or_takes_it_away() -> None:
    organization = make.organization()
    _record(organization, *"abc")
    _check_all(organization)
    assert _check_on(organization) == ChainVerification(since=3, since_at=make.AT, until=3)

    _tamper(organization, "UPDATE tenancy_auditentry SET actor = 'else' WHERE sequence = 2")
    _check_all(organization)
    assert _check_on(organization) == ChainVerification(until=1, broken=2)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize(
    "tampering",
    [
        "DELETE FROM tenancy_auditentry WHERE sequence > 1",
        "DELETE FROM tenancy_auditentry WHERE sequence = 3",
        "UPDATE tenancy_auditentry SET actor = 'else' WHERE sequence = 3",
        "UPDATE tenancy_auditentry SET digest = '\\x00' WHERE sequence = 3",
    ],
)
def test_an_end_that_was_cut_off_or_rewritten_is_found_by_the_point(tampering: str) -> None:
    organization = make.organization()
    _record(organization, *"abc")
    _check_on(organization)
    _tamper(organization, tampering)

    assert _check_on(organization).broken == 3


@pytest.mark.django_db
@pytest.mark.parametrize("change", [{"sequence": 4}, {"digest": b"x" * 32}, {"signature": "x"}])
def test_a_point_that_the_portal_did_not_sign_is_none(change: dict[str, object]) -> None:
    organization = make.organization()
    _record(organization, *"abcde")
    _check_on(organization, 3)
    with organization_scope(organization.pk):
        AuditPoint.objects.update(**change)

    assert _check_on(organization) == ChainVerification(until=5)


@pytest.mark.django_db
def test_a_point_signed_with_a_former_key_stands(settings: Any) -> None:
    organization = make.organization()
    _record(organization, *"abc")
    _check_on(organization)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "n" * 50

    assert _check_on(organization).since == 3


@pytest.mark.django_db
def test_what_people_typed_forges_no_lines() -> None:
    organization = make.organization()
    _record(organization, "sign_in\r\nforged \x1b[31m" + "x" * 200)
    with organization_scope(organization.pk):
        (entry,) = AuditEntry.objects.for_organization(organization)

    assert entry.action.isprintable()
    assert len(entry.action) == 60
