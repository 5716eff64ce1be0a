"""Links that work once: for a new member, for one who has an account, for a password."""

from dataclasses import replace
from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.tenancy.access import Actor, NotFound, Right, actor_for_user
from apps.tenancy.models import Invitation, MemberRole, Membership, Organization, User
from apps.tenancy.people import invitations, link_acceptance
from apps.tenancy.people.account import BadAccount, NewAccount
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.people.link_acceptance import LinkGone, MemberAlready
from apps.tenancy.scope import organization_scope
from tests.cast import make

GOOD, SHORT, COMMON = "correct horse battery", "short", "password1234"
NEW = NewAccount(username="noor", name="Noor Haddad", email="noor@example.org", password=GOOD)


@pytest.fixture
def organization(db: None) -> Organization:
    """Who invites."""
    return make.organization("aurora")


def actor(organization: Organization, *rights: Right) -> Actor:
    """Return somebody of the organization with these rights."""
    return Actor(organization=organization, rights=frozenset(rights))


def invited(organization: Organization, role: MemberRole = MemberRole.RESPONDER) -> str:
    """Return the code of a new link."""
    with organization_scope(organization.pk):
        wish = InvitationWish(role=role, name="Noor")
        return invitations.invite(
            actor=actor(organization, Right.MANAGE), wish=wish, now=make.AT
        ).code


def join(code: str, account: NewAccount = NEW, **late: float) -> None:
    """Follow a link as a new person, some time later."""
    link_acceptance.accept_as_new(
        code=code, account=account, remote_address=None, now=make.AT + timedelta(**late)
    )


def test_a_link_makes_a_member_with_the_role_it_was_made_for(organization: Organization) -> None:
    user = link_acceptance.accept_as_new(
        code=invited(organization, MemberRole.ADMIN),
        account=NEW,
        remote_address=None,
        now=make.AT,
    )

    assert Right.MANAGE in actor_for_user(user=user, slug=organization.slug).rights
    assert user.check_password(GOOD)
    assert user.get_full_name() == "Noor Haddad"


def test_a_link_works_once(organization: Organization) -> None:
    code = invited(organization)
    join(code)

    again = NewAccount(username="other", name="", email="", password=GOOD)
    with pytest.raises(LinkGone):
        join(code, again)


def test_a_link_is_good_for_a_week(organization: Organization) -> None:
    code = invited(organization)
    with pytest.raises(LinkGone):
        join(code, days=7)
    join(code, days=6.9)


def test_a_revoked_link_opens_nothing(organization: Organization) -> None:
    code = invited(organization)
    admin = actor(organization, Right.MANAGE)
    with organization_scope(organization.pk):
        (row,) = invitations.pending(actor=admin, now=make.AT)
        assert invitations.revoke_invitation(actor=admin, public_id=row.public_id, now=make.AT)
        assert not invitations.revoke_invitation(actor=admin, public_id=row.public_id, now=make.AT)

    with pytest.raises(LinkGone):
        join(code)


def test_the_secret_of_one_organization_opens_no_other(organization: Organization) -> None:
    make.organization("borealis")
    secret = invited(organization).partition(".")[2]
    for code in (f"borealis.{secret}", f"absent.{secret}", secret, "", f"aurora.{secret}x"):
        with pytest.raises(LinkGone):
            link_acceptance.look_at(code=code, now=make.AT)


def test_what_was_typed_wrong_leaves_the_link_good(organization: Organization) -> None:
    code = invited(organization)
    make.user(organization=organization, name="taken")
    wrong = (
        NewAccount(username="taken", name="", email="", password=GOOD),
        NewAccount(username="a b", name="", email="", password=GOOD),
        NewAccount(username="", name="", email="", password=GOOD),
        NewAccount(username="noor", name="", email="nowhere", password=GOOD),
        NewAccount(username="noor", name="x" * 151, email="", password=GOOD),
        NewAccount(username="noor", name="", email="", password=SHORT),
        NewAccount(username="noor", name="", email="", password=COMMON),
        NewAccount(username="noor", name="", email="", password="x" * 1025),
    )
    fields = []
    for account in wrong:
        with pytest.raises(BadAccount) as refusal:
            join(code, account)
        fields.append(refusal.value.field)

    assert fields == ["username"] * 3 + ["email", "name"] + ["password"] * 3
    join(code)


def test_who_has_an_account_joins_with_it_and_once(organization: Organization) -> None:
    elsewhere = make.organization()
    user = make.user(organization=elsewhere, role=MemberRole.VIEWER)
    link_acceptance.accept_as(
        code=invited(organization), user=user, remote_address=None, now=make.AT
    )

    assert Right.ACT in actor_for_user(user=user, slug=organization.slug).rights
    code = invited(organization)
    with pytest.raises(MemberAlready):
        link_acceptance.accept_as(code=code, user=user, remote_address=None, now=make.AT)
    assert link_acceptance.look_at(code=code, now=make.AT).role == MemberRole.RESPONDER


def test_a_password_link_sets_it_once_and_makes_no_member(organization: Organization) -> None:
    user = make.user(organization=organization)
    code = _password_link(organization, user)
    with pytest.raises(LinkGone):
        join(code)
    with pytest.raises(BadAccount):
        link_acceptance.accept_password(code=code, password=SHORT, remote_address=None, now=make.AT)
    link_acceptance.accept_password(code=code, password=GOOD, remote_address=None, now=make.AT)

    user.refresh_from_db()
    assert user.check_password(GOOD)
    with pytest.raises(LinkGone):
        link_acceptance.accept_password(code=code, password=GOOD, remote_address=None, now=make.AT)


def test_a_password_that_is_set_ends_the_links_of_other_organizations(
    organization: Organization,
) -> None:
    other = make.organization("borealis")
    user = make.user(organization=organization)
    first = _password_link(organization, user)
    second = _password_link(other, user)
    with organization_scope(other.pk):
        Membership.objects.create(organization=other, user=user, role=MemberRole.VIEWER)
    link_acceptance.accept_password(code=first, password=GOOD, remote_address=None, now=make.AT)

    with pytest.raises(LinkGone):
        link_acceptance.look_at(code=second, now=make.AT)


def _password_link(organization: Organization, user: User) -> str:
    with organization_scope(organization.pk):
        return invitations.issue(
            organization=organization,
            wish=InvitationWish(role=MemberRole.ADMIN),
            invited_by="command",
            now=make.AT,
            user=user,
        ).code


def test_a_link_to_join_sets_nobodys_password(organization: Organization) -> None:
    with pytest.raises(LinkGone):
        link_acceptance.accept_password(
            code=invited(organization), password=GOOD, remote_address=None, now=make.AT
        )


def test_only_who_manages_invites_sees_and_revokes(organization: Organization) -> None:
    invited(organization)
    reader = actor(organization, Right.READ, Right.ACT)
    wish = InvitationWish(role=MemberRole.VIEWER)
    with organization_scope(organization.pk):
        public_id = Invitation.objects.for_organization(organization).get().public_id
        with pytest.raises(NotFound):
            invitations.invite(actor=reader, wish=wish, now=make.AT)
        with pytest.raises(NotFound):
            invitations.pending(actor=reader, now=make.AT)
        with pytest.raises(NotFound):
            invitations.revoke_invitation(actor=reader, public_id=public_id, now=make.AT)


def test_no_secret_is_kept(organization: Organization) -> None:
    secret = invited(organization).partition(".")[2]
    with organization_scope(organization.pk):
        row = Invitation.objects.for_organization(organization).values().get()

    assert secret not in str({**row, "digest": bytes(row["digest"])})


@pytest.mark.django_db(transaction=True)
def test_of_two_who_follow_a_link_at_once_one_comes_in() -> None:
    code, together = invited(make.organization("aurora")), Barrier(2)
    gone: list[str] = []

    def follows(username: str) -> None:
        account = NewAccount(username=username, name="", email="", password=GOOD)
        try:
            together.wait()
            join(code, account)
        except LinkGone:
            gone.append(username)
        finally:
            connection.close()

    threads = [Thread(target=follows, args=(name,)) for name in ("anna", "ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(gone) == 1
    assert not User.objects.filter(username=gone[0]).exists()


@pytest.mark.parametrize("state", ["unknown", "foreign", "used", "late"])
def test_every_link_that_opens_nothing_costs_the_same(
    organization: Organization, state: str
) -> None:
    good = invited(organization)
    codes = {"unknown": "nobody.x", "foreign": f"{organization.slug}.x", "used": good, "late": good}
    late = make.AT + timedelta(days=30 if state == "late" else 0)
    if state == "used":
        join(good)

    with CaptureQueriesContext(connection) as queries, pytest.raises(LinkGone):
        link_acceptance.look_at(code=codes[state], now=late)

    kinds = [each["sql"].split()[0] for each in queries.captured_queries]
    assert kinds == ["SELECT", "SAVEPOINT", "WITH", "SELECT", "ROLLBACK", "RELEASE"]


def test_that_names_are_taken_is_told_to_the_holders_of_links_a_few_times(
    organization: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    monkeypatch.setattr(link_acceptance, "NAMES_TOLD", 3)
    make.user(organization=organization, name="taken")
    told = []
    for name in ("taken",) * 3 + ("taken", "free"):
        with pytest.raises(BadAccount) as refused:
            join(invited(organization), replace(NEW, username=name))
        told.append(type(refused.value).__name__)

    assert told == ["NameTaken"] * 3 + ["TooManyNames"] * 2
    join(invited(make.organization("borealis")), replace(NEW, username="free"))
