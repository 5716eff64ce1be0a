"""An archive → an empty portal: everything that was written, or nothing at all."""

import hashlib
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Final

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections, transaction
from django.db.migrations.executor import MigrationExecutor

from apps.notifications.delivery import outbound_freeze
from apps.operations.backup import files, keys, tables
from apps.operations.backup.archive import ArchiveItem, ArchiveReader, Damaged, Manifest

# Without a policy, and every other row belongs to one of them.
ROOTS = ("tenancy_organization", "tenancy_user", "fleet_cluster")
# Of raw text; what is older goes row by row. All are locked until the end of the restore.
MOST_DAYS: Final = 100
Say = Callable[[str], object]


class RestoreRefused(Exception):
    """The target is not one that this backup may be put into; nothing was changed."""


class Unfinished(Exception):
    """Everything is there, but the schema is still that of the backup."""


def load(*, reader: ArchiveReader, say: Say, now: datetime) -> None:
    """Put a verified backup into an empty database and storage, then bring the schema up to date.

    Raises Refused, Damaged, Unfinished. Tables, files, keys and the hold on sending come together,
    with the end of one transaction: a fault before it leaves the target empty, and after a crash
    the same restore may be begun again.
    """
    if not settings.DATABASES["owner"]["ENGINE"].endswith("postgresql"):
        raise RestoreRefused("a restore needs PORTAL_OWNER_DATABASE_URL: it makes the schema")
    storage = Path(settings.PORTAL_STORAGE)
    if others := files.strangers(storage=storage, items=reader.manifest.files):
        raise RestoreRefused(
            f"{storage} is not empty: it holds {others[0]}; give an empty PORTAL_STORAGE"
        )
    _migrate_to(reader.manifest)
    # Gives back the room that a try took which ended half way.
    _raw().execute("VACUUM")
    with (
        files.put_back(reader=reader, storage=storage),
        keys.put_back(keys=reader.manifest.keys),
        transaction.atomic(using="owner"),
    ):
        _load_tables(reader, say)
        outbound_freeze.put_on(why=f"{outbound_freeze.COPY}{reader.manifest.made_at}", now=now)
    _finish()


def _finish() -> None:
    try:
        _raw().execute("ANALYZE")
        call_command("migrate", database="owner", interactive=False, verbosity=0)
    except (DatabaseError, psycopg.Error) as error:
        raise Unfinished(str(error).strip()) from error


def _migrate_to(manifest: Manifest) -> None:
    """Make the schema that the backup was made from; refuse a target that holds anything."""
    executor = MigrationExecutor(connections["owner"])
    wanted, applied = set(manifest.migrations), set(executor.loader.applied_migrations)
    if unknown := sorted(wanted - set(executor.loader.graph.nodes)):
        raise RestoreRefused(
            f"the backup is of a newer portal: it knows {'.'.join(unknown[0])}, this one doesn't. "
            "Restore it with the version that made it, or a later one"
        )
    _require_empty(applied)
    if applied - wanted:
        raise RestoreRefused(
            "the target has tables of another version; give a new, empty database, in which the "
            "restore makes those of the backup"
        )
    if applied != wanted:
        parents = {
            parent.key
            for node in wanted
            for parent in executor.loader.graph.node_map[node].parents
            if parent.key[0] == node[0]
        }
        executor.migrate(sorted(wanted - parents))


def _require_empty(applied: set[tuple[str, str]]) -> None:
    connection = _raw()
    known = tables.names(connection)
    if known and not applied:
        raise RestoreRefused(f"the target holds tables of somebody else: {', '.join(known[:3])} …")
    for name in set(ROOTS) & set(known):
        if rows := tables.count(connection, name):
            raise RestoreRefused(
                f"the target is in use: {name} has {rows} rows. Restore into an empty portal"
            )


def _load_tables(reader: ArchiveReader, say: Say) -> None:
    connection, manifest = _raw(), reader.manifest
    _make_days(connection, manifest)
    found = set(tables.names(connection))
    if missing := [item.name for item in manifest.tables if item.name not in found]:
        raise RestoreRefused(f"the schema has no table {missing[0]}")
    closed = {name for name, is_forced in tables.policies(connection).items() if is_forced}
    tables.empty(connection, sorted(found))

    def work() -> None:
        for item in manifest.tables:
            _load_table(reader, item)
        # What refers to what is checked here: a change of a table waits for no check.
        connection.execute("SET CONSTRAINTS ALL IMMEDIATE")

    tables.without_force(connection, closed, work)
    for name, value in manifest.sequences.items():
        tables.set_sequence(connection, name, value)
    rows = sum(item.row_count or 0 for item in manifest.tables)
    say(f"  {len(manifest.tables)} tables, {rows:,} rows: counted and compared")


def _make_days(connection: tables.Connection, manifest: Manifest) -> None:
    """Make the days that raw text of a backup is of: without, its rows would go one by one."""
    if ("telemetry", "0007_chunks_by_day") not in manifest.migrations:
        return
    connection.execute(
        """
        SELECT telemetry_make_chunk_day(last - ahead) FROM generate_series(0, %(days)s) AS ahead,
            LEAST((%(made_at)s::timestamptz AT TIME ZONE 'UTC')::date, current_date) AS last
        """,
        {"made_at": manifest.made_at, "days": min(settings.PORTAL_KEEP_RAW_DAYS, MOST_DAYS)},
    )


def _load_table(reader: ArchiveReader, item: ArchiveItem) -> None:
    connection = _raw()
    blocks = reader.chunks(kind="table", item=item)
    count = tables.rows_in(connection, item.name, item.columns, blocks)
    if count != item.row_count:
        raise Damaged(f"{item.name} should have {item.row_count} rows and got {count}")
    digest = hashlib.sha256()
    with closing(tables.rows_out(connection, item.name, item.columns)) as rows:
        for block in rows:
            digest.update(block)
    if digest.hexdigest() != item.sha256:
        raise Damaged(f"{item.name} reads back otherwise than it was written")


def _raw() -> tables.Connection:
    owner = connections["owner"]
    owner.ensure_connection()
    raw: tables.Connection = owner.connection
    return raw
