"""Whatever stands in a variable: it is taken, or refused in one sentence; nothing is made."""

import os
import runpy
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.operations.servers import startup_checks
from tests.contracts.settings_in_code import variables_in_code

ROOT = Path(__file__).parents[2]
ODD = (
    *(
        "",
        " ",
        "0",
        "-1",
        "1_000",
        "²",
        "1e9",
        "9" * 40,
        "x",
        "a b",
        "*",
        "a,b",
        "[",
        "[::1",
        "::1",
    ),
    *("host:99999", "127.0.0.1:80o0", "127.0.0.300", "8000", "http://x:99999", "http://[", "//x"),
    *(
        "postgresql://u:hunter22@h:99999/n",
        "redis://u:hunter22@",
        "unix://",
        "htp://x",
        "/dev/null/x",
    ),
)
TEXTS = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(name=st.sampled_from(variables_in_code()), value=TEXTS)
def test_a_value_is_taken_or_refused_by_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    with monkeypatch.context() as patch:
        for each in [each for each in os.environ if each.startswith("PORTAL_")]:
            patch.delenv(each)
        patch.setenv("PORTAL_VAR", str(tmp_path))
        patch.setenv(name, value)
        try:
            runpy.run_path(str(ROOT / "portal" / "settings.py"))
        except ImproperlyConfigured as refusal:
            said = str(refusal)
            assert "PORTAL_" in said
            assert "\n" not in said
            assert "hunter22" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", variables_in_code())
def test_no_refusal_repeats_a_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv("PORTAL_VAR", str(tmp_path))
    monkeypatch.setenv(name, "postgresql://u:hunter22@h:99999/n")
    said = ""
    try:
        runpy.run_path(str(ROOT / "portal" / "settings.py"))
    except ImproperlyConfigured as refusal:
        said = str(refusal)
    assert "hunter22" not in said


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PORTAL_BIND", "127.0.0.1:99999", "a port from 1 to 65535"),
        ("PORTAL_BIND", "127.0.0.1:80o0", "no address like 127.0.0.1:8000"),
        ("PORTAL_BIND", "127.0.0.300", "no address like 127.0.0.1:8000"),
        ("PORTAL_BASE_URL", "http://x:99999", "a number from 1 to 65535"),
        ("PORTAL_BASE_URL", "https://a b", "must start with http"),
        ("PORTAL_DATABASE_URL", "postgresql://u:hunter22@h:99999/n", "its port, a number"),
        ("PORTAL_PROCESS", "postgresql://u:hunter22@h:1/n", "is not web, worker or beat"),
        ("PORTAL_METRICS_NETWORKS", "postgresql://u:hunter22@h:1/n", "no network like 10.1.0.0"),
        ("PORTAL_OUTBOUND_NETWORKS", "10.1.2.3/16", "did you mean 10.1.0.0/16"),
        ("PORTAL_REDIS_URL", "htp://x", "must look like redis://"),
        ("PORTAL_HOSTS", "https://portal.example", "no name of a host"),
        ("PORTAL_LOG_LEVEL", "DEVUG", "did you mean `DEBUG`"),
        ("PORTAL_POOL_SIZE", "-1", "a whole number from 1"),
        ("PORTAL_PULL_SECONDS", "0", "a whole number from 1"),
        ("PORTAL_MAX_DISK_PERCENT", "900", "from 1 to 101"),
    ],
)
def test_what_would_break_later_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=says) as refusal:
        runpy.run_path(str(ROOT / "portal" / "settings.py"))
    assert name in str(refusal.value)
    assert "hunter22" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PORTAL_BNID", "1", "there is no setting PORTAL_BNID; did you mean PORTAL_BIND?"),
        ("PORTAL_BIND", "127.0.0.1:99999", "a port from 1 to 65535"),
        ("PORTAL_BIND", "203.0.113.5:8123", "nobody can listen on 203.0.113.5:8123"),
        ("PORTAL_PG_BIN", "/nowhere", "no initdb and no postgres in it"),
        ("PORTAL_STORAGE", "/dev/null/x", "/dev/null is no folder"),
    ],
)
def test_a_start_that_can_not_be_ends_in_a_sentence_and_makes_nothing(
    tmp_path: Path, name: str, value: str, says: str
) -> None:
    others = {k: v for k, v in os.environ.items() if not k.startswith(("PORTAL_", "DJANGO_"))}
    ended = subprocess.run(  # noqa: S603  our own command
        [sys.executable, str(ROOT / "manage.py"), "up"],
        env={**others, "PORTAL_VAR": str(tmp_path / "var"), name: value},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert ended.returncode == 1
    assert (ended.stdout, ended.stderr.count("\n")) == ("", 1)
    assert says in ended.stderr
    assert not (tmp_path / "var").exists()


def test_a_port_that_is_taken_is_said_and_one_that_becomes_free_is_waited_for() -> None:
    waited: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        def patient(seconds: float) -> bool:
            waited.append(seconds)
            if len(waited) > startup_checks.TRIES:
                other.close()
            return False

        with pytest.raises(startup_checks.NotStartable, match=f":{port}: address already in use"):
            startup_checks.check_port(host="127.0.0.1", port=port, wait=patient)
        startup_checks.check_port(host="127.0.0.1", port=port, wait=patient)
    assert len(waited) == startup_checks.TRIES + 1
