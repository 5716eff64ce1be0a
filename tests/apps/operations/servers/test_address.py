"""Where a portal listens and answers, and who may look at what it says of itself."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory

from apps.operations.monitoring.watchers import is_watcher
from apps.operations.servers import address


@pytest.mark.parametrize(
    ("text", "bound", "usual"),
    [
        ("", ("127.0.0.1", None), "http://127.0.0.1:8000"),
        (" 10.0.0.1 ", ("10.0.0.1", None), "http://10.0.0.1:8000"),
        ("10.0.0.1:1", ("10.0.0.1", 1), "http://10.0.0.1:1"),
        ("10.0.0.1:65535", ("10.0.0.1", 65535), "http://10.0.0.1:65535"),
        (":9000", ("127.0.0.1", 9000), "http://127.0.0.1:9000"),
        ("0.0.0.0:9000", ("0.0.0.0", 9000), "http://127.0.0.1:9000"),  # noqa: S104  compared, not bound
        ("::", ("::", None), "http://[::1]:8000"),
        ("[::1]:9000", ("::1", 9000), "http://[::1]:9000"),
        ("[::1]", ("::1", None), "http://[::1]:8000"),
        ("fe80::1", ("fe80::1", None), "http://[fe80::1]:8000"),
        ("login-1.dc_2.example:80", ("login-1.dc_2.example", 80), "http://login-1.dc_2.example:80"),
    ],
)
def test_an_address_to_listen_at_has_a_host_and_may_have_a_port(
    monkeypatch: pytest.MonkeyPatch, text: str, bound: tuple[str, int | None], usual: str
) -> None:
    monkeypatch.setenv("PORTAL_BIND", text)
    assert address.bound() == bound
    assert address.usual() == usual


@pytest.mark.parametrize(
    "text",
    [
        *("10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:", "10.0.0.1:http", "10.0.0.256", "1.2.3"),
        *("a b", "-a", "a-", "http://a:80", "[::1", "::1]:80", "é.example", "a" * 300),
    ],
)
def test_what_is_no_address_is_refused_with_examples(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("PORTAL_BIND", text)
    with pytest.raises(ImproperlyConfigured, match="is no address like"):
        address.bound()


def test_a_port_that_is_given_counts_where_none_is_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTAL_BIND", "10.0.0.1")
    assert address.usual(port=8123) == "http://10.0.0.1:8123"
    monkeypatch.setenv("PORTAL_BIND", "10.0.0.1:9000")
    assert address.usual(port=8123) == "http://10.0.0.1:9000"


def test_the_address_is_kept_while_the_portal_runs(tmp_path: Path) -> None:
    with address.told(var=tmp_path, base_url="http://127.0.0.1:8000"):
        assert address.kept(var=tmp_path) == "http://127.0.0.1:8000"
    assert address.kept(var=tmp_path) == ""


@pytest.fixture
def watched(settings: LazySettings) -> LazySettings:
    """Settings of a portal that is watched from one network and by one token."""
    settings.PORTAL_METRICS_TOKEN = "watch-1"  # noqa: S105  of a test
    settings.PORTAL_METRICS_NETWORKS = ["10.1.0.0/16", "fd00::/8"]
    settings.PORTAL_TRUST_PROXY = False
    return settings


def sees(sender: str, **headers: str) -> bool:
    """Say whether who asks from an address sees the details."""
    meta: dict[str, Any] = {"REMOTE_ADDR": sender}
    return is_watcher(request=RequestFactory().get("/", headers=headers, **meta))


@pytest.mark.parametrize(
    ("sender", "is_near"),
    [
        ("10.1.255.255", True),
        ("10.2.0.0", False),
        ("::ffff:10.1.0.1", True),
        ("fd00::1", True),
        ("fe80::1", False),
        ("", False),
        ("unix", False),
    ],
)
def test_who_asks_from_near_sees_the_details(
    watched: LazySettings, sender: str, *, is_near: bool
) -> None:
    assert sees(sender) is is_near


@pytest.mark.parametrize(
    ("sent", "is_good"),
    [
        ("Bearer watch-1", True),
        ("bearer  watch-1 ", True),
        ("Bearer watch-2", False),
        ("Basic watch-1", False),
        ("Bearer", False),
        ("", False),
    ],
)
def test_who_shows_the_token_sees_them_from_anywhere(
    watched: LazySettings, sent: str, *, is_good: bool
) -> None:
    assert sees("192.0.2.1", Authorization=sent) is is_good


def test_no_token_is_none_that_anybody_could_show(watched: LazySettings) -> None:
    watched.PORTAL_METRICS_TOKEN = ""
    assert not sees("192.0.2.1", Authorization="Bearer ")


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_behind_a_proxy_that_is_not_believed_nobody_is_near(
    watched: LazySettings, name: str
) -> None:
    assert not sees("10.1.0.1", **{name: "10.1.0.1"})
    watched.PORTAL_TRUST_PROXY = True
    assert sees("10.1.0.1", **{name: "10.1.0.1"})
