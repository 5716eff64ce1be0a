"""What operators do with tokens and the audit record on the portal's own machine."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from apps.tenancy.credentials import CredentialRefused, authenticate
from apps.tenancy.models import FailedWork, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make


@pytest.fixture
def organization(db: None) -> Organization:
    """Whose tokens these are."""
    return make.organization()


def _run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def _issue(organization: Organization) -> str:
    return _run("token", "issue", organization.slug, "--name", "shipper", "--scope", "ingest")


def test_an_issued_token_works_until_it_is_revoked(organization: Organization) -> None:
    clear_text = _issue(organization).strip()
    assert authenticate(presented=clear_text, now=make.AT).name == "shipper"
    _run("token", "revoke", organization.slug, "--name", "shipper")

    with pytest.raises(CredentialRefused):
        authenticate(presented=clear_text, now=make.AT)


def test_a_list_shows_no_clear_text(organization: Organization) -> None:
    clear_text = _issue(organization).strip()
    listed = _run("token", "list", organization.slug)

    assert "shipper" in listed
    assert clear_text not in listed


def test_each_deed_is_in_the_record_and_the_record_is_whole(organization: Organization) -> None:
    _issue(organization)
    _run("token", "revoke", organization.slug, "--name", "shipper")

    assert f"{organization.slug}: audit record: whole, 2 entries" in _run("verify_audit")


def test_what_can_not_be_done_is_said(organization: Organization) -> None:
    _issue(organization)
    for words in (
        ("issue", "absent", "--name", "x", "--scope", "read"),
        ("issue", organization.slug, "--name", "shipper", "--scope", "read"),
        ("issue", organization.slug, "--name", "x"),
        ("issue", organization.slug),
        ("revoke", organization.slug, "--name", "absent"),
    ):
        with pytest.raises(CommandError):
            _run("token", *words)


def _link(user: User) -> str:
    return "/join/" + _run("link", user.username).strip().partition("/join/")[2]


def test_a_link_sets_a_lost_password_and_ends_the_former_links(organization: Organization) -> None:
    user, password = make.user(organization=organization), "another good password"
    first, second = _link(user), _link(user)
    answer = Client().post(second, {"password": password, "again": password})

    assert Client().get(first).status_code == 404
    assert answer["Location"] == f"/o/{organization.slug}/"
    user.refresh_from_db()
    assert user.check_password(password)


def test_who_belongs_nowhere_gets_no_link(organization: Organization) -> None:
    User.objects.create(username="nobody")
    for name in ("absent", "nobody"):
        with pytest.raises(CommandError, match=f"no member `{name}`"):
            _run("link", name)


def test_what_is_mistyped_is_refused_with_the_name_that_was_meant(
    organization: Organization,
) -> None:
    _issue(organization)
    user = make.user(organization=organization)
    slug = organization.slug
    for words, meant in {
        ("token", "list", f"{slug}x"): slug,
        ("token", "revoke", slug, "--name", "shiper"): "shipper",
        ("link", f"{user.username}x"): user.username,
        ("retry", "--organization", f"{slug}x"): slug,
        ("reinterpret", "--organization", f"{slug}x"): slug,
        ("feedback", "export", "--organization", f"{slug}x"): slug,
    }.items():
        with pytest.raises(CommandError, match=f"did you mean `{meant}`[?]$"):
            _run(*words)


def test_a_kind_of_which_nothing_is_set_aside_is_refused(organization: Organization) -> None:
    assert _run("retry", "--kind", "captur") == ""
    with organization_scope(organization.pk):
        FailedWork.objects.create(
            organization=organization,
            kind="capture",
            began_at=make.AT,
            tried_at=make.AT,
            set_aside_at=make.AT,
        )

    with pytest.raises(CommandError, match="`captur` is set aside; one of capture; did you mean"):
        _run("retry", "--kind", "captur")
