"""A backup goes into an empty portal and is all there, closed as before; into no other."""

import hashlib
import io
import json
import os
import resource
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from django.apps import apps
from django.conf import settings as configured
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections
from django.test import RequestFactory, override_settings
from psycopg import sql
from pytest_django import DjangoDbBlocker

from apps.operations.backup import archive as archive_module
from apps.operations.backup import keys
from apps.operations.backup.archive import ArchiveReader, Manifest
from apps.operations.backup.dump import dump
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.models import OwnedModel
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in, xid
from tests.cast import make
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of
from tests.running import environment, manage

KERNEL = {"stream": "kernel", "host": "gpu001"}
Urls = dict[str, str]
APP, OWNER, NONE = "PORTAL_DATABASE_URL", "PORTAL_OWNER_DATABASE_URL", [(0,)]
# Days of raw text are made where the rows are.
FORCED = "SELECT relname FROM pg_class WHERE relforcerowsecurity AND NOT relispartition ORDER BY 1"
OPEN_PARTS = (
    "SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'"
    " AND NOT relforcerowsecurity"
)


@dataclass(frozen=True, kw_only=True)
class Backup:
    """Two backups of one portal, and who is in it."""

    cast: Cast
    archive: Path  # without keys
    with_keys: Path
    forced: set[str]  # tables under forced row-level security
    newest_incident: int


@pytest.fixture(scope="module")
def backup(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Backup]:
    """Parties of a cluster with logs, an incident, a record and a stored file, backed up once."""
    folder = tmp_path_factory.mktemp("backup")
    with django_db_blocker.unblock(), override_settings(PORTAL_STORAGE=folder / "storage"):
        cast, newest = _filled(folder / "storage")
        dump(path=folder / "backup.tar", has_keys=False, now=make.AT)
        call_command("backup", str(folder / "with-keys.tar"), "--with-keys")
        with connections["owner"].cursor() as cursor:
            cursor.execute(FORCED)
            forced = {str(name) for (name,) in cursor.fetchall()}
        yield Backup(
            cast=cast,
            archive=folder / "backup.tar",
            with_keys=folder / "with-keys.tar",
            forced=forced,
            newest_incident=newest,
        )
        call_command("flush", database="owner", interactive=False, verbosity=0)
        connections.close_all()


def _filled(storage: Path) -> tuple[Cast, int]:
    made = assemble()
    incident = stop_of(made, attempt_of(made, made.tenant))
    lines = [xid(number, make.AT) for number in range(40)]
    come_in(made.operator, made.cluster, lines, at=make.AT, **KERNEL)
    with organization_scope(made.tenant.pk):
        record_act(
            actor=actor(made.tenant),
            action="incident.resolved",
            subject=incident.public_id,
            request=RequestFactory().get("/"),
            now=make.AT,
        )
    storage.joinpath("uploads").mkdir(parents=True)
    storage.joinpath("uploads", "one").write_bytes(b"kept " * 1000)
    return made, incident.pk


@pytest.fixture
def archive(backup: Backup) -> Path:
    """The backup without keys."""
    return backup.archive


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Urls]:
    """A new database on the server of the tests, and the variables that name it."""
    known = connections["owner"].settings_dict
    name = f"restored_{os.environ.get('PYTEST_XDIST_WORKER', 'gw0')}"
    server = {"host": known["HOST"], "user": known["USER"], "password": known["PASSWORD"] or None}
    with psycopg.connect(dbname="postgres", autocommit=True, **server) as admin:
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield {
            **environment(tmp_path / "elsewhere"),
            "PORTAL_DATABASE_URL": url("default", name),
            "PORTAL_OWNER_DATABASE_URL": url("owner", name),
            "PORTAL_REDIS_URL": configured.PORTAL_REDIS_URL,
            "PORTAL_SECRET_KEYS": configured.PORTAL_SECRET_KEYS[0],
        }
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def url(alias: str, name: str) -> str:
    """Return the URL of another database on the server of the tests."""
    known = connections[alias].settings_dict
    password = f":{quote(known['PASSWORD'])}" if known["PASSWORD"] else ""
    return f"postgresql://{known['USER']}{password}@/{name}?host={quote(known['HOST'])}"


def restore(path: Path, variables: Urls) -> subprocess.CompletedProcess[str]:
    """Run the command as another installation does."""
    return subprocess.run(  # noqa: S603  our own command
        [sys.executable, "manage.py", "restore", str(path)],
        cwd=configured.BASE_DIR,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


def ask(variables: Urls, alias: str, statement: str) -> list[tuple[object, ...]]:
    """Return what a role of the restored database reads."""
    with psycopg.connect(variables[alias]) as connection:
        return connection.execute(statement.encode()).fetchall()


def manifest_of(path: Path) -> Manifest:
    """Return what a backup says of itself, once all of it was read."""
    with ArchiveReader(path) as reader:
        reader.verify()
        return reader.manifest


def contents(manifest: Manifest) -> dict[str, tuple[int | None, str]]:
    """Return how many rows each table has and their digest."""
    return {item.name: (item.row_count, item.sha256) for item in manifest.tables}


def test_a_backup_holds_every_row_of_every_table(
    archive: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    held = {item.name: item.row_count for item in manifest_of(archive).tables}
    owned = {m._meta.db_table for m in apps.get_models() if issubclass(m, OwnedModel)}

    # Counted by who sees nothing through the policies: statistics are of the tables themselves.
    with django_db_blocker.unblock(), connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("SELECT relname, reltuples::bigint FROM pg_class WHERE relkind = 'r'")
        real = {name: count for name, count in cursor.fetchall() if name in held and count > 0}

    assert owned <= set(held)
    assert {name: held[name] for name in real} == real
    assert real["telemetry_event"] == 40
    assert "django_session" not in held


@pytest.mark.sweep
def test_on_a_server_it_is_refused_or_comes_back_whole_and_closed_as_before(
    backup: Backup, target: Urls, tmp_path: Path
) -> None:
    newer, odd = tmp_path / "newer.tar", tmp_path / "odd.tar"
    rewritten(backup.archive, newer, _with_a_later_migration)
    rewritten(backup.archive, odd, _with_a_row_too_many)

    refused = restore(newer, target)
    assert "of a newer portal: it knows telemetry.9999_later" in refused.stderr
    assert ask(target, OWNER, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == NONE

    broken = restore(odd, target)
    assert "nothing was restored: " in broken.stderr
    assert ask(target, OWNER, "SELECT count(*) FROM tenancy_organization") == NONE
    assert {name for (name,) in ask(target, OWNER, FORCED)} == backup.forced
    storage = Path(target["PORTAL_VAR"]) / "storage"
    assert [path for path in storage.rglob("*") if path.is_file()] == []
    # As one that was killed leaves it, and the next try finds it.
    storage.joinpath("uploads").mkdir(parents=True, exist_ok=True)
    storage.joinpath("uploads", "one").write_bytes(b"kept " * 1000)

    done = restore(backup.archive, target)
    assert done.returncode == 0, done.stderr
    assert "counted and compared" in done.stdout
    assert "The keys here are those of the backup." in done.stdout
    _is_all_there(backup, target)
    # Beside the original it writes to nobody, until who runs it says so.
    assert "No letters and webhooks go out" in done.stdout
    assert "is on hold since" in manage("sending", variables=target)
    assert "Letters and webhooks go out." in manage("sending", "resume", variables=target)

    twice = restore(backup.archive, {**target, "PORTAL_STORAGE": str(tmp_path / "other")})
    assert "nothing was restored: the target is in use" in twice.stderr
    assert {refused.returncode, broken.returncode, twice.returncode} == {1}
    _is_all_there(backup, target)


def _is_all_there(backup: Backup, target: Urls) -> None:
    assert {name for (name,) in ask(target, OWNER, FORCED)} == backup.forced
    assert ask(target, OWNER, OPEN_PARTS) == NONE
    for role in (APP, OWNER):
        assert ask(target, role, "SELECT count(*) FROM telemetry_event") == NONE
    # Raw text goes day by day, as before: the day of the backup is one of them.
    with psycopg.connect(target[APP]) as connection:
        connection.execute(
            "SELECT set_config('portal.organizations', %s, true)", [str(backup.cast.operator.pk)]
        )
        ((part, is_over),) = connection.execute(
            "SELECT tableoid::regclass::text, now() >= %s FROM telemetry_logchunk", [make.AT]
        ).fetchall()
    # On a machine whose clock is before the backup no part is made for it.
    day = f"d{make.AT:%Y%m%d}" if is_over else "default"
    assert part == f"telemetry_logchunk_{day}"
    with psycopg.connect(target[APP]) as connection:
        connection.execute(
            "SELECT set_config('portal.organizations', %s, true)", [str(backup.cast.tenant.pk)]
        )
        read = connection.execute("SELECT text FROM incidents_evidenceitem").fetchall()
    assert read == [("TENANT-WORDS",)]
    kept = Path(target["PORTAL_VAR"]) / "storage" / "uploads" / "one"
    assert kept.read_bytes() == b"kept " * 1000
    # A number that was given is not given again.
    rows = ask(target, OWNER, "SELECT sequencename, last_value FROM pg_sequences")
    counters = {str(name): last for name, last in rows}
    assert counters["incidents_incident_id_seq"] == backup.newest_incident


def _with_a_later_migration(said: dict[str, Any]) -> None:
    said["migrations"].append(["telemetry", "9999_later"])


def _with_a_row_too_many(said: dict[str, Any]) -> None:
    said["tables"][-1]["row_count"] += 1


@pytest.mark.sweep
def test_it_comes_back_into_the_embedded_servers_and_a_second_backup_is_the_same(
    backup: Backup, tmp_path: Path
) -> None:
    var, with_keys = Path(os.path.realpath(tmp_path)) / "var", backup.with_keys
    variables = environment(var)

    done = restore(with_keys, variables)
    again = manage("backup", str(tmp_path / "again.tar"), variables=variables)
    twice = restore(with_keys, variables)

    assert done.returncode == 0, done.stderr
    assert "The keys are not in it" in again
    first, second = (manifest_of(path) for path in (with_keys, tmp_path / "again.tar"))
    assert contents(second) == contents(first)
    assert second.files == first.files
    assert second.key_mark == first.key_mark
    assert (var / "secret").read_text().split() == list(configured.PORTAL_SECRET_KEYS)
    assert stat.S_IMODE((var / "secret").stat().st_mode) == 0o600
    # Once more into the same portal: it is in use now.
    assert twice.returncode != 0
    assert "nothing was restored" in twice.stderr


def test_the_keys_are_in_it_only_where_that_was_asked_for(backup: Backup) -> None:
    key = configured.PORTAL_SECRET_KEYS[0].encode()

    assert key not in backup.archive.read_bytes()
    assert key in backup.with_keys.read_bytes()
    for path in (backup.archive, backup.with_keys):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_backup_never_writes_over_a_file_and_leaves_no_half(
    archive: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    django_db_blocker: DjangoDbBlocker,
) -> None:
    with django_db_blocker.unblock():
        with pytest.raises(CommandError, match="is there already"):
            call_command("backup", str(archive))
        with pytest.raises(CommandError, match="can't be written"):
            call_command("backup", str(tmp_path / "nowhere" / "backup.tar"))
        call_command("backup", str(tmp_path))

    (made,) = tmp_path.glob("faultline-*.tar")
    assert str(made) in capsys.readouterr().out
    assert not list(tmp_path.glob(".*part"))
    assert contents(manifest_of(made)) == contents(manifest_of(archive))


def test_a_disk_that_fills_ends_a_backup_and_leaves_nothing_of_it(
    backup: Backup,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    monkeypatch.setattr(archive_module, "PART_BYTES", 100)  # so that it happens amid a table
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    with django_db_blocker.unblock(), override_settings(PORTAL_STORAGE=tmp_path / "none"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, usual[1]))
        try:
            with pytest.raises(CommandError, match="can't be written: File too large"):
                call_command("backup", str(tmp_path / "backup.tar"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)

    assert list(tmp_path.iterdir()) == []


def test_keys_for_which_there_is_no_room_leave_nothing_that_passes_for_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PORTAL_SECRET_KEYS", "PORTAL_SECRET_KEYS_FILE"):
        monkeypatch.delenv(name, raising=False)
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    with override_settings(PORTAL_VAR=tmp_path):
        resource.setrlimit(resource.RLIMIT_FSIZE, (3, usual[1]))
        try:
            with pytest.raises(OSError, match="File too large"), keys.put_back(keys=["k" * 50]):
                pass
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        assert list(tmp_path.iterdir()) == []
        with keys.put_back(keys=["k" * 50]):
            pass

    assert (tmp_path / "secret").read_text() == "k" * 50 + "\n"
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_a_backup_does_not_hold_itself(tmp_path: Path) -> None:
    with override_settings(PORTAL_STORAGE=tmp_path):
        for target in (tmp_path, tmp_path / "backups" / "today.tar"):
            with pytest.raises(CommandError, match="would hold itself"):
                call_command("backup", str(target))


def rewritten(archive: Path, path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Write an archive anew with another manifest."""
    with tarfile.open(archive) as old, tarfile.open(path, "w") as new:
        for entry in old:
            file = old.extractfile(entry)
            assert file is not None
            if not entry.name.startswith("manifest"):
                new.addfile(entry, file)
            if entry.name != "manifest.json":
                continue
            said = json.loads(file.read())
            change(said)
            body = json.dumps(said).encode()
            seal = hashlib.sha256(body).hexdigest().encode()
            for name, content in ((entry.name, body), ("manifest.sha256", seal)):
                told = tarfile.TarInfo(name)
                told.size = len(content)
                new.addfile(told, io.BytesIO(content))
