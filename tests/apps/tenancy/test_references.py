"""Records name people by a reference: the number of a row counts all organizations' people."""

import re

import pytest
from django.test import Client

from apps.tenancy.access import RIGHTS_OF_ROLE, Actor
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.audit.audit_view import names_of
from apps.tenancy.audit.refusals import refuse_person
from apps.tenancy.models import AuditEntry, MemberRole, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make

pytestmark = pytest.mark.django_db
REFERENCE = re.compile(r"user:p[0-9a-f]{12}")


def test_what_people_do_is_recorded_without_a_number_of_theirs() -> None:
    own = make.organization()
    admin = make.user(organization=own, role=MemberRole.ADMIN, name="anna")
    client = Client()
    client.post("/sign-in/", {"username": "anna", "password": "wrong"})
    client.post("/sign-in/", {"username": "anna", "password": make.PASSWORD})
    client.post(f"/o/{own.slug}/tokens/", {"name": "login-1", "scope": "read"})
    client.get(f"/o/{own.slug}/incidents/INC-NONE/")
    client.post("/sign-out/")
    refuse_person(user=admin, subject="/o/other/", remote_address=None, now=make.AT)

    with organization_scope(own.pk):
        rows = AuditEntry.objects.for_organization(own)
        told = {each for row in rows for each in (row.actor, row.subject) if "user:" in each}
        actions = {row.action for row in rows}
    assert "sign_in.failed" in actions
    assert len(actions) > 3
    assert told == {admin.label}
    assert REFERENCE.fullmatch(admin.label)
    assert str(admin.pk) not in {each.removeprefix("user:") for each in told}


def test_entries_of_before_and_of_now_are_read_by_name() -> None:
    own, stranger = make.organization(), make.organization()
    admin = make.user(organization=own, role=MemberRole.ADMIN, name="anna")
    make.user(organization=stranger, name="zoe")
    reader = Actor(organization=own, rights=RIGHTS_OF_ROLE[MemberRole.ADMIN], user=admin)
    former = f"user:{admin.pk}"
    with organization_scope(own.pk):
        for label in (former, admin.label):
            record(
                organization_id=own.pk, act=AuditAction(action="sign_in", actor=label), now=make.AT
            )
        labels = AuditEntry.objects.for_organization(own).values_list("actor", flat=True)
        assert names_of(actor=reader, labels=labels) == {former: "anna", admin.label: "anna"}


def test_everybody_has_a_reference_of_their_own() -> None:
    own: Organization = make.organization()
    people = [make.user(organization=own, role=MemberRole.VIEWER) for _ in range(20)]
    assert (
        len({each.reference for each in User.objects.filter(pk__in=[p.pk for p in people])}) == 20
    )
