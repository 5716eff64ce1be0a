"""Signing in through an organization's own provider, as the person's browser goes."""

import re
from typing import Any

from django.test import Client
from django.utils import timezone

from apps.tenancy.models import IdentityProvider, MemberRole, Organization, User
from apps.tenancy.people import invitations
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.identity_provider import ProviderServer
from tests.web.sign_in.through_provider import acts, come, confirm, lead, role_here, said

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="\w+"|X-CSRFToken": "\w+"')


def plain(answer: Any, code: str) -> str:
    """Return a page without what is of one request."""
    return TOKEN.sub("", said(answer)).replace(code, "")


def test_a_group_lets_somebody_in_with_its_role(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    client = Client()

    answer = come(client, server, code, groups=["gpu-oncall", "others"])

    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get("/o/aurora/").status_code == 200
    assert role_here(aurora) == "responder"
    user = User.objects.get(username="alice@aurora.example")
    assert not user.has_usable_password()
    assert ("member.joined", "alice@aurora.example responder") in acts(aurora)
    assert ("sign_in.done", "") in acts(aurora)


def test_the_groups_of_each_sign_in_decide(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    client = Client()
    come(client, server, code, groups=["gpu-oncall", "gpu-admins"])
    assert role_here(aurora) == "admin"

    come(Client(), server, code, groups=["gpu-oncall"])
    assert role_here(aurora) == "responder"

    refused = come(Client(), server, code, groups=["others"])
    assert refused.status_code == 403
    assert "None of your groups has access here." in said(refused)
    assert role_here(aurora) == ""
    assert client.get("/o/aurora/").status_code == 302  # the former session is over, too
    assert ("member.removed", "alice@aurora.example") in acts(aurora)


def test_the_door_offers_the_provider_to_a_browser_that_used_it_and_to_no_other(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    client = Client()
    come(client, server, code, groups=["gpu-oncall"])
    client.post("/sign-out/")

    assert code in client.get("/sign-in/").content.decode()
    assert code not in Client().get("/sign-in/").content.decode()
    assert "aurora" not in Client().get("/sign-in/").content.decode().lower()


def test_a_link_of_nobody_and_one_that_is_switched_off_look_the_same(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    slug, _, public_id = code.partition(".")
    wrong = [f"nobody.{public_id}", f"{slug}.0000000000000000", slug, "x" * 300]

    answers = {plain(Client().get(f"/sign-in/with/{each}/"), each) for each in wrong}
    with organization_scope(aurora.pk):
        IdentityProvider.objects.for_organization(aurora).update(is_enabled=False)
    gone = Client().get(f"/sign-in/with/{code}/")

    assert gone.status_code == 404
    assert answers == {plain(gone, code)}


def test_who_is_removed_stays_out_until_an_admin_lets_the_person_in_again(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    come(Client(), server, code, groups=["gpu-oncall"])
    admin = Client()
    admin.force_login(User.objects.get(username="local-admin"))
    admin.post("/o/aurora/settings/members/alice@aurora.example/remove/")

    refused = come(Client(), server, code, groups=["gpu-oncall"])
    assert "Your access was ended here." in said(refused)

    admin.post("/o/aurora/settings/single-sign-on/let-in/", {"username": "alice@aurora.example"})
    assert come(Client(), server, code, groups=["gpu-oncall"]).status_code == 302
    assert role_here(aurora) == "responder"


def test_removing_the_provider_ends_the_sessions_of_whom_it_signed_in(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    client, admin = Client(), Client()
    come(client, server, code, groups=["gpu-oncall"])
    admin.force_login(User.objects.get(username="local-admin"))
    connect(admin, server, code)

    admin.post("/o/aurora/settings/single-sign-on/remove/")

    assert client.get("/o/aurora/").status_code == 302
    assert admin.get("/o/aurora/").status_code == 200


def test_who_is_not_active_stays_out(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    come(Client(), server, code, groups=["gpu-oncall"])
    User.objects.filter(username="alice@aurora.example").update(is_active=False)

    assert come(Client(), server, code, groups=["gpu-oncall"]).status_code == 403


def test_the_last_admin_with_a_password_stays_admin_and_gets_in_with_it(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    client = Client()
    client.post("/sign-in/", {"username": "local-admin", "password": make.PASSWORD})
    connect(client, server, code)

    lowered = come(Client(), server, code, groups=["gpu-oncall"])
    assert (lowered.status_code, role_here(aurora)) == (302, "admin")

    refused = come(Client(), server, code, groups=["others"])
    assert (refused.status_code, role_here(aurora)) == (403, "admin")
    assert client.get("/o/aurora/").status_code == 200


def test_a_second_admin_is_lowered_by_the_groups(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    second = make.user(organization=aurora, role=MemberRole.ADMIN)
    client = Client()
    client.force_login(second)
    connect(client, server, code)

    come(Client(), server, code, groups=["gpu-oncall"])

    assert role_here(aurora) == "responder"


def connect(client: Client, server: ProviderServer, code: str) -> Any:
    """Connect the account of who is signed in, from its page."""
    confirm(client)
    back = server.approve(
        lead(client, code, connect="1"), email="any@aurora.example", email_verified=True, groups=[]
    )
    return client.get(back)


def test_a_member_connects_the_account_and_takes_it_back(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    person = make.user(organization=aurora, role=MemberRole.RESPONDER)
    client = Client()
    client.post("/sign-in/", {"username": person.username, "password": make.PASSWORD})
    assert "Connect with Aurora" in said(client.get("/o/aurora/settings/account/"))
    connect(client, server, code)
    through = Client()
    come(through, server, code, groups=["gpu-oncall"])
    assert through.session["_auth_user_id"] == str(person.pk)

    client.post("/o/aurora/settings/account/disconnect/")

    assert through.get("/o/aurora/").status_code == 302
    assert client.get("/o/aurora/").status_code == 200
    assert ("identity.disconnected", person.label) in acts(aurora)


def test_an_account_is_connected_only_after_the_password_was_given_again(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    person = make.user(organization=aurora, role=MemberRole.ADMIN)
    client = Client()
    client.post("/sign-in/", {"username": person.username, "password": make.PASSWORD})

    asked = client.post(f"/sign-in/with/{code}/", {"connect": "1"})
    assert asked.status_code == 302
    assert asked["Location"].startswith("/account/confirm/")

    wrong = client.post(asked["Location"], {"password": "another one entirely"})
    right = client.post(asked["Location"], {"password": make.PASSWORD})
    assert (wrong.status_code, right.status_code) == (422, 200)
    assert "On to Aurora" in said(right)


def test_an_account_that_a_provider_opens_joins_no_other_organization(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    client = Client()
    come(client, server, code, groups=["gpu-oncall"])
    link = invitation(make.organization("northwind"))

    answer = client.post(f"/join/{link}/")

    assert answer.status_code == 422
    assert "belongs to it alone" in said(answer)
    assert client.get("/o/northwind/").status_code == 404


def test_only_who_asked_is_connected(
    server: ProviderServer, aurora: Organization, code: str
) -> None:
    first, second = make.user(organization=aurora), make.user(organization=aurora)
    client = Client()
    client.force_login(first)
    confirm(client)
    back = server.approve(
        lead(client, code, connect="1"), email="any@aurora.example", email_verified=True
    )
    states = client.session["socialaccount_states"]
    client.force_login(second)
    session = client.session
    session["socialaccount_states"] = states
    session.save()

    answer = client.get(back)

    assert "Somebody else signed in here meanwhile" in said(answer)


def invitation(organization: Organization) -> str:
    """Return the code of a link to join an organization."""
    with organization_scope(organization.pk):
        issued = invitations.issue(
            organization=organization,
            wish=InvitationWish(role=MemberRole.VIEWER),
            invited_by="command",
            now=timezone.now(),  # noqa: TID251  it is followed now
        )
    return issued.code
