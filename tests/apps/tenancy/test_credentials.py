"""Tokens are known by their digest; secrets of sources open with the portal's keys only."""

import binascii
import re
from datetime import timedelta

import pytest
from django.conf import LazySettings

from apps.tenancy import credentials
from apps.tenancy.credentials import CredentialRefused, IssuedToken, ScopeMissing, SealBroken
from apps.tenancy.models import Organization, Token, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make

NOW = make.AT
READ, WRITE = TokenScope.READ, TokenScope.WRITE


@pytest.fixture
def organization(db: None) -> Organization:
    """Whose tokens these are."""
    return make.organization()


def _issue(organization: Organization, **more: object) -> IssuedToken:
    with organization_scope(organization.pk):
        return credentials.issue(
            organization=organization,
            name="reader",
            scopes=frozenset({READ}),
            now=NOW,
            **more,  # type: ignore[arg-type]
        )


def _stored(organization: Organization, token: Token) -> Token:
    with organization_scope(organization.pk):
        return Token.objects.for_organization(organization).get(pk=token.pk)


def test_a_token_is_good_for_its_scopes(organization: Organization) -> None:
    issued = _issue(organization)
    token = credentials.verify(presented=issued.clear_text, scope=READ, now=NOW)

    assert token == issued.token
    with pytest.raises(ScopeMissing):
        credentials.verify(presented=issued.clear_text, scope=WRITE, now=NOW)


def test_scanners_tell_a_token_by_its_prefix_and_checksum(organization: Organization) -> None:
    """As docs/sign-in.md describes it, written anew."""
    text = _issue(organization).clear_text
    assert re.fullmatch(r"flt_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}", text)
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    told = sum(digits.index(each) * 62**place for place, each in enumerate(reversed(text[-6:])))
    assert told == binascii.crc32(text[:-6].encode())


def test_a_token_from_before_checksums_is_good(
    organization: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "checksum_of", lambda text: "zzzzzz")
    issued = _issue(organization)

    assert credentials.authenticate(presented=issued.clear_text, now=NOW) == issued.token


@pytest.mark.parametrize("presented", ["", "x", "flt_", "flt_aaaaaaaa_" + "b" * 40, "flt_" * 99])
@pytest.mark.django_db
def test_what_was_never_issued_is_refused(presented: str) -> None:
    with pytest.raises(CredentialRefused):
        credentials.authenticate(presented=presented, now=NOW)


def test_an_expired_token_is_refused(organization: Organization) -> None:
    issued = _issue(organization, expires_at=NOW + timedelta(hours=1))
    credentials.authenticate(presented=issued.clear_text, now=NOW)

    with pytest.raises(CredentialRefused):
        credentials.authenticate(presented=issued.clear_text, now=NOW + timedelta(hours=1))


def test_a_revoked_token_is_refused_at_once(organization: Organization) -> None:
    issued = _issue(organization)
    with organization_scope(organization.pk):
        assert credentials.revoke(token=issued.token, now=NOW)
        assert not credentials.revoke(token=issued.token, now=NOW)

    with pytest.raises(CredentialRefused):
        credentials.authenticate(presented=issued.clear_text, now=NOW)


def test_the_clear_text_is_kept_nowhere(organization: Organization) -> None:
    issued = _issue(organization)
    row = _stored(organization, issued.token)

    assert issued.clear_text.startswith(f"{row.prefix}_")
    assert bytes(row.digest) == credentials.digest_of(issued.clear_text)
    assert issued.clear_text not in str(vars(row))


def test_use_is_noted_once_a_minute(organization: Organization) -> None:
    issued = _issue(organization)
    noted = []
    for seconds in (0, 30, 61):
        now = NOW + timedelta(seconds=seconds)
        credentials.authenticate(presented=issued.clear_text, now=now)
        noted.append(_stored(organization, issued.token).last_used_at)

    assert noted == [NOW, NOW, NOW + timedelta(seconds=61)]


def test_a_sealed_secret_opens_again_and_shows_nothing() -> None:
    sealed = credentials.seal(secret="user:s3cret")  # noqa: S106  of this test

    assert b"s3cret" not in sealed
    assert sealed != credentials.seal(secret="user:s3cret")  # noqa: S106  of this test
    assert credentials.unseal(sealed=memoryview(sealed)) == "user:s3cret"


def test_a_new_key_seals_and_the_former_one_still_opens(settings: LazySettings) -> None:
    former, new = "f" * 50, "n" * 50
    settings.PORTAL_SECRET_KEYS = [former]
    sealed = credentials.seal(secret="x")  # noqa: S106  of this test
    settings.PORTAL_SECRET_KEYS = [new, former]
    again = credentials.reseal(sealed=sealed)
    settings.PORTAL_SECRET_KEYS = [new]

    assert credentials.unseal(sealed=again) == "x"
    with pytest.raises(SealBroken, match="put the former key back"):
        credentials.unseal(sealed=sealed)
