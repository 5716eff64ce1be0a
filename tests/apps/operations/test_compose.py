"""The compose file and its secrets, as the tools that read them would: nothing in it is missing."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from django.conf import settings

from apps.operations.servers import embedded, queue_access

DOCKER = Path(settings.BASE_DIR) / "docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = [name for name, service in SERVICES.items() if service["image"] == "faultline"]
KNOWN = set(
    re.findall(
        r"^### `(PORTAL_[A-Z_]+)`",
        (Path(settings.BASE_DIR) / "docs" / "operations.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)


def make_secrets(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the script that the manual names."""
    return subprocess.run(  # noqa: S603  our own script
        [DOCKER / "make-secrets.sh", folder], capture_output=True, text=True, check=False
    )


@pytest.fixture
def secrets(tmp_path: Path) -> dict[str, str]:
    """Return what the script makes, by name."""
    assert make_secrets(tmp_path / "secrets").returncode == 0
    return {each.name: each.read_text().strip() for each in (tmp_path / "secrets").iterdir()}


@pytest.mark.parametrize("name", OWN)
def test_a_service_of_ours_is_set_by_settings_that_there_are(name: str) -> None:
    ours = {each for each in SERVICES[name]["environment"] if each.startswith("PORTAL_")}

    assert {each.removesuffix("_FILE") for each in ours} <= KNOWN


# The image settles where things are; nothing is embedded; nobody sees tracebacks.
NOT_IN_CONTAINERS = {
    *("PORTAL_BIND", "PORTAL_VAR", "PORTAL_STORAGE", "PORTAL_PG_BIN", "PORTAL_DEBUG"),
}
OF_ONE_SERVICE = {
    *("PORTAL_PROCESS", "PORTAL_HOSTS", "PORTAL_METRICS_TOKEN", "PORTAL_OWNER_DATABASE_URL"),
}


def test_every_setting_of_the_manual_reaches_the_containers() -> None:
    taken = {
        name: {each.removesuffix("_FILE") for each in SERVICES[name]["environment"]} for name in OWN
    }

    assert set().union(*taken.values()) >= KNOWN - NOT_IN_CONTAINERS
    for name in OWN:  # web and workers reckon with the same figures
        assert taken[name] >= KNOWN - NOT_IN_CONTAINERS - OF_ONE_SERVICE


@pytest.mark.parametrize("name", OWN)
def test_a_service_of_ours_can_do_little_beside_its_work(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_service_waits_for_and_reads_is_there(name: str) -> None:
    service = SERVICES[name]

    for other, how in service.get("depends_on", {}).items():
        assert other in SERVICES
        healthy = how["condition"] == "service_healthy"
        assert not healthy or "healthcheck" in SERVICES[other]
    assert set(service.get("secrets", [])) <= set(COMPOSE["secrets"])
    assert service["logging"]["options"]["max-size"]
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        is_ours = source.startswith("./") and "secrets" not in source
        assert (DOCKER / source).is_file() if is_ours else True
        assert source.startswith("./") or source in COMPOSE["volumes"]


@pytest.mark.parametrize("name", SERVICES)
def test_a_port_is_open_to_this_machine_alone(name: str) -> None:
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))


def test_one_clock_one_migration_and_every_queue_has_a_worker() -> None:
    worker = SERVICES["worker"]["command"]

    assert SERVICES["beat"].get("deploy", {}).get("replicas", 1) == 1
    assert set(worker[worker.index("--queues") + 1].split(",")) == {
        "correlate",
        "ingest",
        "default",
    }
    assert {SERVICES[each]["environment"].get("PORTAL_PROCESS") for each in OWN} == {
        *("web", "worker", "beat"),
        None,
    }
    with_owner = [name for name in OWN if "owner_database_url" in SERVICES[name]["secrets"]]
    assert with_owner == ["migrate"]


def test_the_script_makes_every_secret_that_the_file_names(secrets: dict[str, str]) -> None:
    assert {Path(each["file"]).name for each in COMPOSE["secrets"].values()} | {"roles.sql"} == set(
        secrets
    )
    assert len(secrets["secret_keys"]) >= 50
    for url, role in (
        ("database_url", "portal_app"),
        ("owner_database_url", "portal_owner"),
    ):
        parts = urlsplit(secrets[url])
        assert parts.hostname in SERVICES
        assert f"CREATE ROLE {role} LOGIN PASSWORD '{parts.password}'" in secrets["roles.sql"]


def test_the_queue_is_opened_to_the_portal_by_the_rule_of_the_embedded_one(
    secrets: dict[str, str],
) -> None:
    parts = urlsplit(secrets["redis_url"])
    default, portal = secrets["valkey_acl"].splitlines()

    assert (parts.hostname, parts.username) == ("valkey", queue_access.USER)
    assert portal == queue_access.rule(password=str(parts.password))
    assert default == "user default on nopass resetkeys resetchannels -@all +ping"
    assert str(parts.password) not in secrets["valkey_acl"]


def test_database_and_queue_are_reached_by_the_portals_containers_alone() -> None:
    inside = {name for name, each in SERVICES.items() if "inside" in each.get("networks", [])}

    assert inside == {*OWN, "postgres", "valkey"}
    assert SERVICES["postgres"]["networks"] == SERVICES["valkey"]["networks"] == ["inside"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert not SERVICES["postgres"].get("ports")
    assert not SERVICES["valkey"].get("ports")


def test_the_database_of_the_containers_logs_no_statement() -> None:
    said = {word.removeprefix("-c") for word in SERVICES["postgres"]["command"]}

    assert said >= {
        *("log_min_messages=log", "log_min_error_statement=panic", "log_statement=none"),
        *("log_parameter_max_length=0", "log_error_verbosity=terse"),
    }
    assert said - {"postgres", "max_locks_per_transaction=512"} <= set(embedded.SILENT)


def test_the_script_changes_nothing_that_is_there(tmp_path: Path) -> None:
    make_secrets(tmp_path)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}

    again = make_secrets(tmp_path)

    assert again.returncode == 0
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before
    assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_half_of_what_belongs_together_is_refused_with_a_way_out(tmp_path: Path) -> None:
    make_secrets(tmp_path)
    (tmp_path / "roles.sql").unlink()

    refusal = make_secrets(tmp_path)

    assert refusal.returncode == 1
    assert "2 of owner_database_url database_url roles.sql" in refusal.stderr
    assert not (tmp_path / "roles.sql").exists()


# What reads a compose file here, and how it is asked for what it read. Debian's docker-compose 1.29
# knows no `name:`, which docs/operations.md says.
PROGRAMS = {
    "docker compose": ["docker", "compose"],
    "docker-compose": ["docker-compose"],
    "podman-compose": ["podman-compose"],
}


def _config(program: list[str], *, file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  our own arguments
        [*program, "--file", str(file), "config"],
        env=os.environ | {"PORTAL_BASE_URL": "https://portal.example"},
        capture_output=True,
        text=True,
        check=False,
    )


def _can_read(program: list[str], *, file: Path) -> bool:
    file.write_text("services: {a: {image: b}}\n")
    return shutil.which(program[0]) is not None and _config(program, file=file).returncode == 0


def _is_of_before_names(program: list[str]) -> bool:
    if program != ["docker-compose"]:
        return False
    asked = [*program, "version", "--short"]
    return subprocess.run(asked, capture_output=True, check=True).stdout.startswith(b"1.")  # noqa: S603


@pytest.mark.parametrize("name", PROGRAMS)
def test_compose_itself_reads_the_file(tmp_path: Path, name: str) -> None:
    program, file = PROGRAMS[name], tmp_path / "docker" / "compose.yml"
    if not _can_read(program, file=tmp_path / "least.yml"):
        pytest.skip(f"no `{name}` with `config` here: install it to have it read our file")
    shutil.copytree(DOCKER, tmp_path / "docker", ignore=shutil.ignore_patterns("secrets"))
    make_secrets(tmp_path / "docker" / "secrets")
    if _is_of_before_names(program):
        file.write_text(file.read_text().replace("name: faultline\n", "", 1))

    done = _config(program, file=file)

    assert done.returncode == 0, done.stderr
    assert "https://portal.example" in done.stdout
    assert all(f"{each}:" in done.stdout for each in SERVICES)


def test_prometheus_shows_the_token_that_the_portal_knows(secrets: dict[str, str]) -> None:
    scraped = yaml.safe_load((DOCKER / "prometheus.yml").read_text(encoding="utf-8"))
    shown = scraped["scrape_configs"][0]["authorization"]["credentials_file"]

    assert shown == SERVICES["web"]["environment"]["PORTAL_METRICS_TOKEN_FILE"]
    assert Path(shown).name in SERVICES["prometheus"]["secrets"]
    assert Path(shown).name in SERVICES["web"]["secrets"]
    assert len(secrets[Path(shown).name]) >= 40
