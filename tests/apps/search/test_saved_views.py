"""Views of lists that people keep: whose they are, and who opens them."""

import pytest

from apps.search import saved_views
from apps.search.models import ListName, SavedView
from apps.search.saved_views import (
    TooManyViews,
    ViewEntry,
    ViewNameMissing,
    ViewNameTaken,
    ViewValue,
)
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor


def keep(
    who: Actor, name: str = "Open GPU", query: str = "status=open", **fields: bool
) -> ViewValue:
    """Keep a view of incidents."""
    entry = ViewEntry(list_name=ListName.INCIDENTS, name=name, query=query, **fields)
    with organization_scope(who.organization.pk):
        return saved_views.save_view(actor=who, entry=entry, now=make.AT)


def names(who: Actor) -> list[str]:
    """Return the names of the views that a person may open."""
    with organization_scope(who.organization.pk):
        return [each.name for each in saved_views.views_of(actor=who)]


def test_a_view_is_one_s_own_until_it_is_shared(cast: Cast) -> None:
    owner, colleague, stranger = actor(cast.tenant), actor(cast.tenant), actor(cast.operator)
    kept = keep(owner)
    assert (names(owner), names(colleague), names(stranger)) == (["Open GPU"], [], [])

    with organization_scope(cast.tenant.pk):
        saved_views.change_view(actor=owner, public_id=kept.public_id, is_shared=True)

    assert (names(owner), names(colleague), names(stranger)) == (["Open GPU"], ["Open GPU"], [])


def test_another_organization_reads_no_row_of_it(cast: Cast) -> None:
    keep(actor(cast.tenant), is_shared=True)

    with organization_scope(cast.operator.pk):
        assert not SavedView.objects.exists()


def test_the_same_name_again_gets_the_new_filter(cast: Cast) -> None:
    owner = actor(cast.tenant)
    first, again = keep(owner), keep(owner, name="  Open   GPU ", query="layer=gpu")

    assert (again.public_id, again.query) == (first.public_id, "layer=gpu")
    assert names(owner) == ["Open GPU"]


@pytest.mark.parametrize("name", ["", "   ", "x" * 81])
def test_a_view_needs_a_name(cast: Cast, name: str) -> None:
    with pytest.raises(ViewNameMissing):
        keep(actor(cast.tenant), name=name)


def test_two_views_of_a_person_have_two_names(cast: Cast) -> None:
    owner = actor(cast.tenant)
    keep(owner, name="One")
    other = keep(owner, name="Two")

    with organization_scope(cast.tenant.pk), pytest.raises(ViewNameTaken):
        saved_views.change_view(actor=owner, public_id=other.public_id, name="One")
    assert names(owner) == ["One", "Two"]


def test_who_only_opens_a_shared_view_changes_nothing_of_it(cast: Cast) -> None:
    kept = keep(actor(cast.tenant), is_shared=True)
    colleague = actor(cast.tenant)

    with organization_scope(cast.tenant.pk):
        assert saved_views.open_view(actor=colleague, public_id=kept.public_id).name == "Open GPU"
        with pytest.raises(NotFound):
            saved_views.change_view(actor=colleague, public_id=kept.public_id, name="Mine")
        with pytest.raises(NotFound):
            saved_views.delete_view(actor=colleague, public_id=kept.public_id)


def test_a_list_opens_with_the_view_that_a_person_chose(cast: Cast) -> None:
    owner, colleague = actor(cast.tenant), actor(cast.tenant)
    kept = keep(owner, is_shared=True)
    with organization_scope(cast.tenant.pk):
        for who in (owner, colleague):
            saved_views.set_default(
                actor=who, list_name=ListName.INCIDENTS, public_id=kept.public_id
            )
        opened = saved_views.default_view(actor=colleague, list_name=ListName.INCIDENTS)
        assert opened is not None
        assert opened.public_id == kept.public_id
        assert saved_views.default_view(actor=owner, list_name=ListName.SESSIONS) is None

        saved_views.change_view(actor=owner, public_id=kept.public_id, is_shared=False)

        assert saved_views.default_view(actor=colleague, list_name=ListName.INCIDENTS) is None
        assert saved_views.default_view(actor=owner, list_name=ListName.INCIDENTS)


def test_nobody_opens_a_list_with_another_s_own_view(cast: Cast) -> None:
    kept = keep(actor(cast.tenant))
    colleague = actor(cast.tenant)

    with organization_scope(cast.tenant.pk), pytest.raises(NotFound):
        saved_views.set_default(
            actor=colleague, list_name=ListName.INCIDENTS, public_id=kept.public_id
        )


def test_a_person_keeps_a_hundred_views_and_no_more(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_views, "MOST", 2)
    owner = actor(cast.tenant)
    for name in ("One", "Two"):
        keep(owner, name=name)

    with pytest.raises(TooManyViews):
        keep(owner, name="Three")
    assert keep(owner, name="Two", query="layer=gpu").query == "layer=gpu"
