"""A flood of refusals is a few entries with a count; the chain is appended to and stays whole."""

from datetime import timedelta

import pytest

from apps.tenancy.access import RIGHTS_OF_ROLE, Actor, NotFound
from apps.tenancy.audit.audit_log import digest_of_entry
from apps.tenancy.audit.chain import START
from apps.tenancy.audit.refusals import OTHERS, SUBJECTS_A_MINUTE, close_all, refuse_actor
from apps.tenancy.audit.verification import AUDIT
from apps.tenancy.models import AuditEntry, MemberRole, Organization, RefusalCount
from apps.tenancy.scope import organization_scope
from apps.tenancy.tasks import count_refusals
from tests.cast import make

pytestmark = pytest.mark.django_db
NEXT = make.AT + timedelta(minutes=1)


def actor_of(organization: Organization) -> Actor:
    """Return a member."""
    user = make.user(organization=organization)
    return Actor(organization=organization, rights=RIGHTS_OF_ROLE[MemberRole.VIEWER], user=user)


def refused(actor: Actor, *subjects: str, second: int = 0, owner: int | None = None) -> None:
    """Refuse somebody some things."""
    for subject in subjects:
        refuse_actor(
            actor=actor,
            subject=subject,
            remote_address="192.0.2.7",
            error=NotFound(owner_id=owner),
            now=make.AT + timedelta(seconds=second),
        )


def record_of(organization: Organization) -> list[tuple[str, str, int]]:
    """Return actor, subject and count of each entry."""
    with organization_scope(organization.pk):
        assert AUDIT._read(organization.pk, after=0, former=START, most=None)[0].broken is None
        rows = AuditEntry.objects.for_organization(organization).order_by("sequence")
        return list(rows.values_list("actor", "subject", "count"))


def test_the_same_within_a_minute_is_two_entries_the_second_with_the_number() -> None:
    organization = make.organization()
    actor = actor_of(organization)
    refused(actor, *["/a/"] * 500)
    assert record_of(organization) == [(actor.label, "/a/", 1)]

    refused(actor, "/a/", second=61)
    assert record_of(organization) == [
        (actor.label, "/a/", 1), (actor.label, "/a/", 499), (actor.label, "/a/", 1),
    ]  # fmt: skip


def test_the_second_within_a_minute_is_an_entry_of_its_own() -> None:
    organization = make.organization()
    actor = actor_of(organization)
    refused(actor, "/a/", "/a/", "/b/")
    refused(actor, "/c/", second=61)
    assert [each[1:] for each in record_of(organization)] == [
        ("/a/", 1), ("/b/", 1), ("/a/", 1), ("/c/", 1),
    ]  # fmt: skip


def test_who_tries_one_name_after_the_other_fills_no_record() -> None:
    organization = make.organization()
    actor = actor_of(organization)
    refused(actor, *(f"/{n}/" for n in range(300)))
    close_all(organization_id=organization.pk, now=NEXT)

    told = record_of(organization)
    assert len(told) == SUBJECTS_A_MINUTE + 2
    assert sum(count for _, _, count in told) == 300
    assert told[-1] == (actor.label, OTHERS, 300 - SUBJECTS_A_MINUTE - 1)


def test_each_actor_is_counted_alone() -> None:
    organization = make.organization()
    first, second = actor_of(organization), actor_of(organization)
    refused(first, "/a/")
    refused(second, "/a/")

    assert record_of(organization) == [(first.label, "/a/", 1), (second.label, "/a/", 1)]


def test_the_other_side_reads_which_organization_and_a_flood_is_small_there_too() -> None:
    organization, owner = make.organization(), make.organization()
    actor = actor_of(organization)
    refused(actor, *["/a/"] * 50, owner=owner.pk)
    close_all(organization_id=owner.pk, now=NEXT)

    slug = f"organization:{organization.slug}"
    assert record_of(owner) == [(slug, "/a/", 1), (slug, "/a/", 49)]
    with organization_scope(owner.pk):
        assert not AuditEntry.objects.exclude(remote_address=None).exists()


def test_what_was_counted_is_written_when_nobody_asks_any_more() -> None:
    organization = make.organization()
    actor = actor_of(organization)
    refused(actor, "/a/", "/a/", "/a/")
    close_all(organization_id=organization.pk, now=make.AT + timedelta(seconds=59))
    assert record_of(organization) == [(actor.label, "/a/", 1)]
    count_refusals()

    assert record_of(organization) == [(actor.label, "/a/", 1), (actor.label, "/a/", 2)]
    with organization_scope(organization.pk):
        assert not RefusalCount.objects.exists()


def test_a_count_is_sealed_like_the_rest() -> None:
    entry = AuditEntry(organization_id=1, sequence=1, at=make.AT, actor="a", action="b")
    counted = AuditEntry(organization_id=1, sequence=1, at=make.AT, actor="a", action="b", count=7)
    digests = {digest_of_entry(entry=each, former=START) for each in (entry, counted)}
    assert len(digests) == 2
