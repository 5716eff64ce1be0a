"""The servers beside the portal, started for real."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import psycopg
import pytest
from django.conf import settings

from apps.operations.servers import database_user, embedded, private_sockets
from apps.operations.servers.processes import Child

AS_ROOT = "needs root: it is about what root does; run it as root, in a container if need be"
NOBODY_READS = os.geteuid() == 0 and database_user._runs(
    embedded._postgres_binaries() / "postgres", database_user.become_nobody
)


@pytest.fixture
def open_directory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a new directory that every user may pass through, for the packaged server."""
    monkeypatch.delenv("PORTAL_PG_BIN", raising=False)
    made = Path(tempfile.mkdtemp(prefix="portal-open-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def stopped() -> Iterator[list[Child]]:
    """Return a list of children that end with the test."""
    children: list[Child] = []
    yield children
    for child in reversed(children):
        child.stop()


def ask(var: Path, role: str, statement: str) -> object:
    """Return the first value of a statement's first row."""
    where = str(private_sockets.socket_directory(var=var))
    with psycopg.connect(host=where, user=role, dbname="portal") as server:
        row = server.execute(statement.encode()).fetchone()
    return row and row[0]


def test_sockets_stay_in_var_unless_their_path_is_too_long_for_one(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 90)

    assert private_sockets.socket_directory(var=Path("/srv/portal/var")) == Path(
        "/srv/portal/var/run"
    )
    assert len(str(private_sockets.socket_directory(var=deep))) < 80
    assert private_sockets.socket_directory(var=deep) != private_sockets.socket_directory(
        var=tmp_path / "other"
    )


def test_a_socket_directory_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o755)
    (tmp_path / "run").chmod(0o755)

    with pytest.raises(private_sockets.NotEmbeddable, match="0700"):
        private_sockets.prepare_sockets(var=tmp_path)


def test_the_application_role_is_no_superuser_and_owns_nothing(
    open_directory: Path, stopped: list[Child]
) -> None:
    server = Child(embedded.postgres(var=open_directory, is_durable=False))
    stopped.append(server)
    server.wait_ready(seconds=20, pause=Event())

    embedded.provision(var=open_directory)
    embedded.provision(var=open_directory)

    rights = (
        "SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb FROM pg_roles "
        "WHERE rolname = current_user"
    )
    assert ask(open_directory, "portal_app", rights) is False
    assert ask(open_directory, "portal_owner", rights) is False
    assert str(ask(open_directory, "portal_app", "SHOW server_version")).startswith("18.")
    assert ask(open_directory, "portal_app", "SHOW listen_addresses") == ""


def test_a_half_made_data_directory_is_made_anew(open_directory: Path) -> None:
    half = open_directory / "pg18.new"
    half.mkdir(mode=0o700)
    (half / "PG_VERSION").write_text("18\n")

    embedded.postgres(var=open_directory)

    assert (open_directory / "pg18" / "global" / "pg_control").exists()
    assert not half.exists()


def test_the_mark_of_a_server_that_is_gone_does_not_stop_a_start(
    open_directory: Path, stopped: list[Child]
) -> None:
    program = embedded.postgres(var=open_directory, is_durable=False)
    # This very process has that number now, as any may after a reboot.
    (open_directory / "pg18" / "postmaster.pid").write_text(f"{os.getpid()}\n/elsewhere\n")

    program = embedded.postgres(var=open_directory, is_durable=False)
    stopped.append(Child(program))
    stopped[0].wait_ready(seconds=20, pause=Event())


@pytest.mark.skipif(os.geteuid() != 0, reason=AS_ROOT)
def test_root_changes_no_mode_and_makes_no_user(open_directory: Path, stopped: list[Child]) -> None:
    parents = [open_directory, *open_directory.parents, Path.home()]
    modes = [each.stat().st_mode for each in parents]
    users = Path("/etc/passwd").read_bytes()

    stopped.append(Child(embedded.postgres(var=open_directory, is_durable=False)))
    stopped[0].wait_ready(seconds=20, pause=Event())

    assert [each.stat().st_mode for each in parents] == modes
    assert Path("/etc/passwd").read_bytes() == users


@pytest.mark.skipif(
    not NOBODY_READS, reason="needs root and a .venv that every user may read (not below /root)"
)
def test_root_goes_on_as_nobody_where_nobody_owns_the_data(
    open_directory: Path, stopped: list[Child]
) -> None:
    data = open_directory / "pg18"
    data.mkdir(mode=0o700)
    os.chown(data, database_user.NOBODY, database_user.NOBODY)

    server = Child(embedded.postgres(var=open_directory, is_durable=False))
    stopped.append(server)
    server.wait_ready(seconds=20, pause=Event())

    assert Path(f"/proc/{server.process.pid}").stat().st_uid == database_user.NOBODY
    assert (data / "PG_VERSION").stat().st_uid == database_user.NOBODY


@pytest.mark.skipif(os.geteuid() != 0, reason=AS_ROOT)
def test_root_is_refused_with_a_way_out_where_neither_way_works(open_directory: Path) -> None:
    data = open_directory / "pg18"
    data.mkdir(mode=0o700)
    os.chown(data, 4711, 4711)  # of neither root nor nobody

    with pytest.raises(database_user.NoIdentity, match="PORTAL_DATABASE_URL"):
        database_user.choose(binary=Path(settings.BASE_DIR) / "manage.py", data=data)
