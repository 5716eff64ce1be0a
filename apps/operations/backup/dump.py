"""Everything an installation keeps → one archive, as it was at one instant, while it goes on."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction

from apps.operations.backup import files, tables
from apps.operations.backup.archive import ArchiveItem, Manifest, Writer
from apps.operations.backup.keys import mark_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


def dump(*, path: Path, has_keys: bool, now: datetime) -> Manifest:
    """Write a backup to a file that is there whole or not at all; return what it holds.

    Reads as the application does, in a scope of every organization and in one snapshot: needs no
    rights beyond the portal's own, and holds up nobody.
    """
    writer = Writer(path)
    try:
        with _snapshot() as reading:
            names = tables.names(reading)
            manifest = Manifest(
                made_at=now.isoformat(timespec="seconds"),
                server_version=reading.info.server_version,
                migrations=_migrations(reading),
                tables=tuple(_table(writer, reading, name) for name in names),
                files=tuple(_files(writer, Path(settings.PORTAL_STORAGE))),
                sequences=tables.sequences(reading),
                key_mark=mark_of(settings.PORTAL_SECRET_KEYS[0]),
                keys=tuple(settings.PORTAL_SECRET_KEYS) if has_keys else (),
            )
        writer.finish(manifest)
    except BaseException:
        writer.give_up()
        raise
    return manifest


@contextmanager
def _snapshot() -> Iterator[tables.Connection]:
    """Yield a connection that sees every organization's rows as they are now, and only reads."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        ids = Organization.objects.order_by("id").values_list("id", flat=True)
        with organization_scope(*ids):
            yield connection.connection


def _migrations(reading: tables.Connection) -> tuple[tuple[str, str], ...]:
    rows = reading.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
    return tuple((str(app), str(name)) for app, name in rows)


def _table(writer: Writer, reading: tables.Connection, name: str) -> ArchiveItem:
    named = tables.columns(reading, name)
    # Closed before anything else is said on this connection: that would wait for its end for ever.
    with closing(tables.rows_out(reading, name, named)) as rows:
        item = writer.add(kind="table", name=name, chunks=rows, columns=named)
    return replace(item, row_count=tables.count(reading, name))


def _files(writer: Writer, storage: Path) -> Iterator[ArchiveItem]:
    for name, path in files.kept(storage):
        yield writer.add(kind="file", name=name, chunks=files.read(path))
