"""What the first start of a portal seals, the processes that it starts can open."""

import stat
from pathlib import Path

import pytest
from django.conf import LazySettings

from apps.operations.servers.programs import make_secret
from apps.tenancy.credentials import seal, unseal


@pytest.fixture
def no_keys_given(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> None:
    """Begin as a first start does: nobody gave keys, the process has one that dies with it."""
    for name in ("PORTAL_SECRET_KEYS", "PORTAL_SECRET_KEYS_FILE"):
        monkeypatch.delenv(name, raising=False)
    settings.PORTAL_SECRET_KEYS = ["d" * 50]
    settings.SECRET_KEY = "d" * 50


@pytest.mark.usefixtures("no_keys_given")
def test_what_is_sealed_after_the_key_was_made_is_opened_with_the_kept_one(
    tmp_path: Path, settings: LazySettings
) -> None:
    path = tmp_path / "secret"
    make_secret(path)
    sealed = seal(secret="of pseudonyms")  # noqa: S106  of this test

    settings.PORTAL_SECRET_KEYS = path.read_text().split()  # as other processes read it

    assert unseal(sealed=sealed) == "of pseudonyms"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.usefixtures("no_keys_given")
def test_a_key_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("k" * 60)

    make_secret(path)

    assert path.read_text() == "k" * 60
