"""Members and their roles: what admins may change, and that one admin always stays."""

from threading import Barrier, Thread

import pytest
from django.db import connection
from django.utils.crypto import salted_hmac

from apps.tenancy.access import Actor, NotFound, actor_for_user
from apps.tenancy.models import SESSION_SALT, MemberRole, Organization, User
from apps.tenancy.people import invitations, link_acceptance
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.people.link_acceptance import LinkGone
from apps.tenancy.people.members import LastAdmin, access_members, change_role, remove_member
from apps.tenancy.scope import organization_scope
from tests.cast import make


def admin(organization: Organization, name: str = "") -> Actor:
    """Return an admin of the organization."""
    user = make.user(organization=organization, role=MemberRole.ADMIN, name=name)
    return actor_for_user(user=user, slug=organization.slug)


def roles(organization: Organization, reader: Actor) -> dict[str, MemberRole]:
    """Return username → role."""
    with organization_scope(organization.pk):
        found = access_members(actor=reader)
    return {each.user.username: each.role for each in found}


def change(actor: Actor, username: str, role: MemberRole) -> bool:
    """Change a role in the scope of the actor's organization."""
    with organization_scope(actor.organization.pk):
        return change_role(actor=actor, username=username, role=role, now=make.AT)


def remove(actor: Actor, username: str) -> None:
    """Remove a member in the scope of the actor's organization."""
    with organization_scope(actor.organization.pk):
        remove_member(actor=actor, username=username, now=make.AT)


@pytest.mark.django_db
def test_an_admin_changes_what_a_member_may_do() -> None:
    actor = admin(make.organization(), "anna")
    make.user(organization=actor.organization, name="ben")

    assert change(actor, "ben", MemberRole.VIEWER)
    assert not change(actor, "ben", MemberRole.VIEWER)
    assert roles(actor.organization, actor)["ben"] == MemberRole.VIEWER


@pytest.mark.django_db
@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_is_no_admin_changes_nothing(role: MemberRole) -> None:
    organization = make.organization()
    user = make.user(organization=organization, role=role, name="ben")
    actor = actor_for_user(user=user, slug=organization.slug)

    with pytest.raises(NotFound):
        change(actor, "ben", MemberRole.ADMIN)
    with pytest.raises(NotFound):
        remove(actor, "ben")


@pytest.mark.django_db
def test_members_of_others_are_not_found() -> None:
    actor = admin(make.organization())
    make.user(organization=make.organization(), name="ben")

    with pytest.raises(NotFound):
        change(actor, "ben", MemberRole.VIEWER)
    with pytest.raises(NotFound):
        remove(actor, "ben")


@pytest.mark.django_db
def test_the_last_admin_stays_one() -> None:
    actor = admin(make.organization(), "anna")
    pending = make.user(organization=actor.organization, role=MemberRole.ADMIN, name="never-came")
    pending.set_unusable_password()
    pending.save()

    with pytest.raises(LastAdmin):
        change(actor, "anna", MemberRole.VIEWER)
    with pytest.raises(LastAdmin):
        remove(actor, "anna")
    remove(actor, "never-came")


@pytest.mark.django_db
@pytest.mark.parametrize("is_removed", [True, False])
def test_who_manages_no_more_comes_back_by_no_link_of_before(*, is_removed: bool) -> None:
    actor = admin(make.organization(), "anna")
    codes = {who.label: _link_by(who) for who in (actor, admin(actor.organization, "ben"))}

    if is_removed:
        remove(actor, "ben")
    else:
        change(actor, "ben", MemberRole.VIEWER)

    assert (
        link_acceptance.look_at(code=codes.pop(actor.label), now=make.AT).role == MemberRole.ADMIN
    )
    with pytest.raises(LinkGone):
        link_acceptance.look_at(code=codes.popitem()[1], now=make.AT)


def _link_by(actor: Actor) -> str:
    with organization_scope(actor.organization.pk):
        wish = InvitationWish(role=MemberRole.ADMIN)
        return invitations.invite(actor=actor, wish=wish, now=make.AT).code


@pytest.mark.django_db
def test_a_second_admin_lets_the_first_go() -> None:
    actor = admin(make.organization(), "anna")
    make.user(organization=actor.organization, role=MemberRole.ADMIN, name="ben")
    remove(actor, "anna")

    assert User.objects.filter(username="anna").exists()
    with pytest.raises(NotFound):
        actor_for_user(user=User.objects.get(username="anna"), slug=actor.organization.slug)


@pytest.mark.django_db(transaction=True)
def test_two_admins_who_remove_each_other_leave_one() -> None:
    one = admin(make.organization(), "anna")
    other = actor_for_user(
        user=make.user(organization=one.organization, role=MemberRole.ADMIN, name="ben"),
        slug=one.organization.slug,
    )
    together = Barrier(2)
    refused: list[str] = []

    def removes(actor: Actor, username: str) -> None:
        try:
            together.wait()
            remove(actor, username)
        except LastAdmin:
            refused.append(username)
        finally:
            connection.close()

    threads = [Thread(target=removes, args=pair) for pair in ((one, "ben"), (other, "anna"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refused) == 1
    assert len(roles(one.organization, one)) == 1


@pytest.mark.django_db
def test_sessions_from_before_there_were_epochs_go_on() -> None:
    user = make.user(organization=make.organization())
    former = salted_hmac(SESSION_SALT, user.password, algorithm="sha256").hexdigest()

    assert user.get_session_auth_hash() == former
    user.session_epoch = 1
    assert user.get_session_auth_hash() != former
    assert former not in list(user.get_session_auth_fallback_hash())
