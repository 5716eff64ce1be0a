"""Tokens at the receivers as people paste them: with spaces, line ends, quotes, or in pieces."""

import base64

import pytest
from django.test import Client

from tests.cast.pushes import Answer, Cast, cast


@pytest.fixture
def people(db: None) -> Cast:
    """Make who pushes."""
    return cast()


def push(header: str) -> Answer:
    """Send one line with this Authorization."""
    client = Client(headers={"Authorization": header})
    return client.post("/api/v1/logs?session=s", b"a line\n", content_type="text/plain")


def basic(password: str) -> str:
    """Return a header as a sender makes it of what stands in its configuration."""
    return "Basic " + base64.b64encode(f"any:{password}".encode()).decode()


@pytest.mark.parametrize("around", ["{}\n", " {}\r\n", '"{}"', "\t{} "])
def test_what_stands_around_a_token_is_left_out(people: Cast, around: str) -> None:
    pasted = around.format(people.token(people.tenant))

    assert push(basic(pasted)).status_code == 200
    assert push(f"Bearer {pasted.rstrip()}").status_code == 200
    assert push(f"Basic   {basic(pasted).partition(' ')[2]} ").status_code == 200


@pytest.mark.parametrize("cut", [4, 12, 30])
def test_a_token_in_pieces_is_told_how_one_looks(people: Cast, cut: int) -> None:
    token = people.token(people.tenant)
    for header in (basic(f"{token[:cut]}\n  {token[cut:]}"), f"Bearer {token[:cut]} {token[cut:]}"):
        answer = push(header)

        assert answer.status_code == 401
        assert "Paste it again, in one piece" in answer.json()["detail"]
        assert token[cut:] not in answer.content.decode()


def test_a_whole_token_that_is_unknown_is_told_nothing_more(people: Cast) -> None:
    detail = push(f"Bearer flt_aaaaaaaa_{'b' * 40}").json()["detail"]

    assert detail.startswith("The token is unknown, expired or revoked.")


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Digest x"}])
def test_who_sends_no_token_is_told_so(people: Cast, headers: dict[str, str]) -> None:
    client = Client(headers=headers)
    answer = client.post("/api/v1/logs?session=s", b"a line\n", content_type="text/plain")

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["detail"].startswith("No token was sent.")
