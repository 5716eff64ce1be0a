"""Settings: each is documented, and a wrong value says so at once."""

import runpy
import socket
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from apps.operations.management.commands.up import choose_base_url, port_words
from apps.operations.servers.address import told
from tests.contracts.settings_in_code import ROOT, variables_in_code

KEY = "0123456789" * 5


def read_settings(monkeypatch: pytest.MonkeyPatch, **variables: str) -> dict[str, Any]:
    """Return what the settings are under these variables and no other of ours."""
    for name in ("PORTAL_VAR", "PORTAL_SECRET_KEYS", "PORTAL_DATABASE_URL", "PORTAL_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(ROOT / "portal" / "settings.py"))


@pytest.mark.parametrize("name", variables_in_code())
def test_a_setting_has_a_heading_in_the_operations_manual(name: str) -> None:
    manual = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")

    assert f"### `{name}`" in manual


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PORTAL_PROCESS", "wbe", "not web, worker or beat"),
        ("PORTAL_BASE_URL", "portal.example", "must start with http"),
        ("PORTAL_SECRET_KEYS", "short", "50 characters"),
        ("PORTAL_DATABASE_URL", "mysql://host/name", "must look like postgresql://"),
        ("PORTAL_DATABASE_URL", "postgresql://host", "must look like postgresql://"),
        ("PORTAL_MAX_BODY_BYTES", "64 MB", "not a whole number from 1"),
        ("PORTAL_KEEP_RAW_DAYS", "0", "from 1 to 36500"),
        ("PORTAL_SMTP_URL", "mail.example:587", "must look like smtp://"),
        ("PORTAL_SMTP_URL", "smtp://mail.example:0x19", "its port, a number from 1"),
        ("PORTAL_SMTP_URL", "smtp://u:p@mail.example?tls=none", "would travel in clear"),
        ("PORTAL_SMTP_URL", "smtp://mail.example?tls=maybe", "must look like smtp://"),
        ("PORTAL_MAIL_FROM", "Faultline", "is no address"),
        ("PORTAL_METRICS_NETWORKS", "10.0.0.1/8", "is no network like"),
        ("PORTAL_DEBUG", "maybe", "neither 1 nor 0"),
        ("PORTAL_SECRET_KEYS_FILE", "/nowhere/keys", "can't read /nowhere/keys"),
        ("PORTAL_OWNER_DATABASE_URL", "postgresql://host/name", "PORTAL_DATABASE_URL is not"),
    ],
)
def test_a_wrong_value_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=says) as refusal:
        read_settings(monkeypatch, **{name: value})

    assert name in str(refusal.value)


def test_a_process_without_keys_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="PORTAL_SECRET_KEYS is empty"):
        read_settings(monkeypatch, PORTAL_PROCESS="web", PORTAL_VAR=str(tmp_path))


def test_a_secret_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "keys").write_text(f"{KEY}\n{KEY[::-1]}\n")

    read = read_settings(monkeypatch, PORTAL_SECRET_KEYS_FILE=str(tmp_path / "keys"))

    assert read["SECRET_KEY"] == KEY
    assert read["SECRET_KEY_FALLBACKS"] == [KEY[::-1]]


def test_a_secret_given_twice_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "url").write_text("unix:///run/valkey.sock")

    with pytest.raises(ImproperlyConfigured, match="both set"):
        read_settings(
            monkeypatch, PORTAL_REDIS_URL="redis://a", PORTAL_REDIS_URL_FILE=str(tmp_path / "url")
        )


def test_real_servers_are_used_where_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_settings(
        monkeypatch,
        PORTAL_DATABASE_URL="postgresql://portal_app:s%40cret@db.example:6432/portal?sslmode=require",
        PORTAL_REDIS_URL="redis://valkey.example:6379/0",
    )

    database = read["DATABASES"]["default"]
    assert (database["HOST"], database["PORT"], database["PASSWORD"]) == (
        "db.example",
        "6432",
        "s@cret",
    )
    assert database["OPTIONS"] == {"sslmode": "require"}
    assert read["CELERY_BROKER_URL"] == "redis://valkey.example:6379/0"
    assert not read["PORTAL_EMBEDS_DATABASE"]
    assert not read["PORTAL_EMBEDS_BROKER"]


@pytest.mark.parametrize(
    ("url", "port", "security"),
    [
        ("smtp://portal:s%40cret@mail.example", 587, "starttls"),
        ("smtps://portal:s%40cret@mail.example", 465, "tls"),
        ("smtps://portal:s%40cret@mail.example:2465", 2465, "tls"),
    ],
)
def test_a_mail_server_is_spoken_to_over_tls(
    monkeypatch: pytest.MonkeyPatch, url: str, port: int, security: str
) -> None:
    server = read_settings(monkeypatch, PORTAL_SMTP_URL=url)["PORTAL_SMTP"]

    assert (server["port"], server["security"]) == (port, security)
    assert (server["user"], server["password"]) == ("portal", "s@cret")
    assert read_settings(monkeypatch, PORTAL_SMTP_URL="")["PORTAL_SMTP"] == {}


def test_a_refused_mail_server_is_not_quoted_with_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        read_settings(monkeypatch, PORTAL_SMTP_URL="http://portal:hunter22@mail.example")

    assert "hunter22" not in str(refusal.value)


def test_https_turns_every_guard_of_the_transport_on(monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_settings(monkeypatch, PORTAL_BASE_URL="https://portal.example")

    assert read["SESSION_COOKIE_SECURE"]
    assert read["CSRF_COOKIE_SECURE"]
    assert read["SECURE_SSL_REDIRECT"]
    assert read["SECURE_HSTS_SECONDS"] > 0


def test_the_name_that_people_use_is_always_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_settings(
        monkeypatch,
        PORTAL_BASE_URL="https://portal.example",
        PORTAL_HOSTS="web,",
    )

    assert set(read["ALLOWED_HOSTS"]) == {
        *("portal.example", "web", "127.0.0.1", "localhost", "[::1]"),
    }


@pytest.mark.parametrize("trusts", ["0", "1"])
def test_a_proxy_is_believed_only_where_it_is_said(
    monkeypatch: pytest.MonkeyPatch, trusts: str
) -> None:
    read = read_settings(monkeypatch, PORTAL_TRUST_PROXY=trusts)

    believes = trusts == "1"
    assert ("apps.operations.http.middleware.behind_proxy" in read["MIDDLEWARE"]) == believes
    assert ("SECURE_PROXY_SSL_HEADER" in read) == believes


def test_only_the_web_process_pools_its_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {
        process: read_settings(monkeypatch, PORTAL_PROCESS=process, PORTAL_SECRET_KEYS=KEY)[
            "DATABASES"
        ]["default"]["OPTIONS"]
        for process in ("web", "worker", "beat")
    }

    assert options["web"]["pool"]["timeout"] == 2
    assert "pool" not in options["worker"]
    assert "pool" not in options["beat"]


def test_no_page_may_run_inline_script_or_load_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    directives = read_settings(monkeypatch)["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]

    words = {word for values in directives.values() for word in values}
    assert words == {"'none'", "'self'", "data:"}


def test_the_former_retention_setting_counts_where_the_newer_ones_are_not_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = read_settings(monkeypatch, PORTAL_RETENTION_DAYS="60", PORTAL_KEEP_RAW_DAYS="7")

    assert (read["PORTAL_KEEP_RAW_DAYS"], read["PORTAL_KEEP_EVENTS_DAYS"]) == (7, 60)
    assert "PORTAL_RETENTION_DAYS" not in read


def test_a_command_beside_a_running_portal_takes_its_address(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PORTAL_BASE_URL", raising=False)
    var = {"PORTAL_VAR": str(tmp_path)}
    with told(var=tmp_path, base_url="http://127.0.0.1:8470"):
        assert read_settings(monkeypatch, **var)["PORTAL_BASE_URL"] == "http://127.0.0.1:8470"
        assert read_settings(monkeypatch, **var, PORTAL_DATABASE_URL="postgresql://a@db/portal")[
            "PORTAL_BASE_URL"
        ].endswith(":8000")
        given = read_settings(monkeypatch, **var, PORTAL_BASE_URL="http://127.0.0.1:9")
        assert given["PORTAL_BASE_URL"].endswith(":9")

    monkeypatch.delenv("PORTAL_BASE_URL")
    assert read_settings(monkeypatch, **var)["PORTAL_BASE_URL"].endswith(":8000")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("bind", "url"),
    [
        ("127.0.0.1:8763", "http://127.0.0.1:8763"),
        ("10.0.0.7", "http://10.0.0.7:8000"),
        ("0.0.0.0:8100", "http://127.0.0.1:8100"),
        ("[::]:8100", "http://[::1]:8100"),
        ("[fd00::7]:8100", "http://[fd00::7]:8100"),
        (":8100", "http://127.0.0.1:8100"),
        ("", "http://127.0.0.1:8000"),
    ],
)
def test_without_an_address_it_is_the_one_that_is_bound(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bind: str, url: str
) -> None:
    monkeypatch.delenv("PORTAL_BASE_URL", raising=False)

    read = read_settings(monkeypatch, PORTAL_VAR=str(tmp_path), PORTAL_BIND=bind)

    assert read["PORTAL_BASE_URL"] == url
    assert not bind.rpartition(":")[2].isdigit() or choose_base_url() == url


def test_beside_another_program_a_free_port_is_used_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("PORTAL_BASE_URL", "PORTAL_BIND"):
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        monkeypatch.setattr("apps.operations.servers.address.USUAL_PORT", port)
        url = choose_base_url()
        assert not url.endswith(f":{port}")
        assert port_words(url) == (
            f"Port {port} is taken, so a free one is used; PORTAL_BIND names another."
        )
    assert port_words(choose_base_url()) == ""


@pytest.mark.parametrize("process", ["web", "worker"])
def test_no_process_waits_for_ever_for_what_another_holds(
    process: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "postgresql://u@db/name?options=-c%20search_path%3Dours"
    found = read_settings(
        monkeypatch,
        PORTAL_PROCESS=process,
        PORTAL_SECRET_KEYS=KEY,
        PORTAL_DATABASE_URL=url,
        PORTAL_REDIS_URL="redis://cache",
    )
    options = found["DATABASES"]["default"]["OPTIONS"]["options"]
    assert options.startswith("-c search_path=ours -c statement_timeout=")
    assert " -c lock_timeout=" in options


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PORTAL_KEEP_RAW_DAY", "PORTAL_KEEP_RAW_DAYS"),
        ("PORTAL_BASEURL", "PORTAL_BASE_URL"),
        ("PORTAL_SMTP", "PORTAL_SMTP_URL"),
        ("PORTAL_DATABASE_URI_FILE", "PORTAL_DATABASE_URL"),
        ("PORTAL_BIN", "PORTAL_BIND"),
    ],
)
def test_a_misspelt_setting_is_refused_by_the_name_that_was_meant(
    monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"{name}; did you mean {meant}"):
        read_settings(monkeypatch, **{name: "x"})


def test_variables_of_others_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    kubernetes = ("SERVICE_HOST", "PORT", "PORT_8000_TCP_ADDR", "WEB_SERVICE_PORT")
    theirs = {f"PORTAL_{name}": "10.0.0.1" for name in kubernetes}
    read_settings(monkeypatch, PORTAL_READY_FILE="x", PORTAL_BIND="127.0.0.1", **theirs)
    assert capfd.readouterr().err == ""

    read_settings(monkeypatch, PORTAL_QUUX="x")
    assert "PORTAL_QUUX is no setting" in capfd.readouterr().err
