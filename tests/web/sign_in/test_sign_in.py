"""The door: it opens for members, tells strangers nothing, and leads nowhere else."""

import pytest
from django.test import Client

from apps.tenancy.models import User
from tests.cast import make


def enter(client: Client, name: str, password: str, **more: str) -> int:
    values = {"username": name, "password": password, **more}
    return client.post("/sign-in/", values).status_code


def test_a_member_signs_in_and_lands_at_home(db: None, client: Client) -> None:
    organization = make.organization()
    member = make.user(organization=organization)
    assert enter(client, member.username, make.PASSWORD) == 302
    assert client.get("/", follow=True).redirect_chain[-1][0] == f"/o/{organization.slug}/"


@pytest.mark.parametrize("name", ["known", "unknown"])
def test_a_wrong_password_and_a_wrong_name_look_the_same(
    db: None, client: Client, name: str
) -> None:
    make.user(organization=make.organization(), name="known")
    response = client.post("/sign-in/", {"username": name, "password": "wrong"})
    assert response.status_code == 401
    assert "Name or password is wrong." in response.content.decode()


def test_the_next_address_of_another_site_is_not_followed(db: None, client: Client) -> None:
    member = make.user(organization=make.organization())
    response = client.post(
        "/sign-in/",
        {"username": member.username, "password": make.PASSWORD, "next": "https://evil.example/"},
    )
    assert response["Location"] == "/"


def test_a_hostile_user_name_is_shown_as_text(db: None, client: Client) -> None:
    response = client.post("/sign-in/", {"username": '"><script>', "password": "x"})
    assert "<script>" not in response.content.decode().split("</head>")[1]


def test_signing_out_closes_the_pages(db: None, client: Client) -> None:
    organization = make.organization()
    member = make.user(organization=organization)
    enter(client, member.username, make.PASSWORD)
    client.post("/sign-out/")
    assert client.get(f"/o/{organization.slug}/").status_code == 302


def test_a_person_without_an_organization_is_told_what_to_do(db: None, client: Client) -> None:
    User.objects.create_user("alone", password=make.PASSWORD)
    enter(client, "alone", make.PASSWORD)
    assert "You belong to no organization yet" in client.get("/").content.decode()
