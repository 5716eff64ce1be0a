"""A token acts for its own organization alone; a person for those that they are a member of."""

import pytest

from apps.tenancy.access import NotFound, actor_for_token, actor_for_user
from apps.tenancy.models import Token
from apps.tenancy.scope import organization_scope
from tests.cast import make

pytestmark = pytest.mark.django_db


def test_a_token_is_its_organizations_with_or_without_a_path_and_nobody_elses() -> None:
    own, other = make.organization(), make.organization()
    make.token(organization=own)
    with organization_scope(own.pk):
        token = Token.objects.for_organization(own).get()
        for slug in (None, own.slug):
            assert actor_for_token(token=token, slug=slug).organization == own
        with pytest.raises(NotFound):
            actor_for_token(token=token, slug=other.slug)


def test_a_person_acts_where_they_are_a_member_and_nowhere_once_shut_out() -> None:
    own, other = make.organization(), make.organization()
    user = make.user(organization=own)
    assert actor_for_user(user=user, slug=own.slug).organization == own
    for slug in (other.slug, "nobody"):
        with pytest.raises(NotFound):
            actor_for_user(user=user, slug=slug)
    user.is_active = False
    with pytest.raises(NotFound):
        actor_for_user(user=user, slug=own.slug)
