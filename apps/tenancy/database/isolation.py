"""Migration operations that close tables in PostgreSQL.

A new owned table calls one of them where it is created.
"""

from collections.abc import Callable

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import RunPython, RunSQL
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import StateApps

APPLICATION = "portal_app"
LOOKUP = "portal_lookup"

# A transaction-local setting that was used once reads as '' afterwards, not NULL. The sub-select is
# evaluated once a query.
SCOPE = (
    "((SELECT string_to_array(NULLIF(current_setting('portal.organizations', true), ''), ','))"
    "::bigint[])"
)
TO_ALL = (
    "SELECT set_config('portal.organizations',"
    " coalesce((SELECT string_agg(id::text, ',') FROM tenancy_organization), ''), true)"
)
TO_NONE = "SELECT set_config('portal.organizations', '', true)"


def grant_application() -> Operation:
    """Let the application role use what exists and what later migrations create.

    Runs once a database.
    """
    return RunSQL(
        f"""
        GRANT USAGE ON SCHEMA public TO {APPLICATION}, {LOOKUP};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {APPLICATION};
        GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {APPLICATION};
        ALTER DEFAULT PRIVILEGES IN SCHEMA public
            GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {APPLICATION};
        ALTER DEFAULT PRIVILEGES IN SCHEMA public
            GRANT USAGE, SELECT ON SEQUENCES TO {APPLICATION};
        """,
        RunSQL.noop,
    )


def isolate(table: str) -> Operation:
    """Show rows of a table only to the organization that owns them."""
    return _close(table, read=_own(table))


def isolate_shared(table: str, *, party_table: str, column: str, key: str = "id") -> RunSQL:
    """Show rows to their owner and to every organization with a row in the party table.

    The party table's own policy uses only its own column: a policy that reads its own table
    recurses.
    """
    party = (
        f"EXISTS (SELECT 1 FROM {party_table} p WHERE p.{column} = {table}.{key}"  # noqa: S608  names of our own tables
        f" AND p.organization_id = ANY {SCOPE})"
    )
    return _close(table, read=f"({_own(table)} OR {party})")


def isolate_audience(
    table: str, *, party_table: str, column: str, key: str, has_all: bool = True
) -> RunSQL:
    """Show rows to their owner and to the parties in `audience`, or to all `for_all_parties`."""
    party = (
        f"EXISTS (SELECT 1 FROM {party_table} p WHERE p.{column} = {table}.{key}"  # noqa: S608  names of our own tables
        f" AND p.organization_id = ANY {SCOPE})"
    )
    named = f"{table}.audience && {SCOPE}"
    reaches = f"({named} OR {table}.for_all_parties)" if has_all else named
    return _close(table, read=f"({_own(table)} OR ({reaches} AND {party}))")


def isolate_shared_until(
    table: str, *, party_table: str, column: str, key: str = "id"
) -> Operation:
    """Show rows to their owner and to parties that are parties still.

    Replaces what `isolate_shared` gave; the party table has `left_at`. Who left reads a copy.
    """
    party = (
        f"EXISTS (SELECT 1 FROM {party_table} p WHERE p.{column} = {table}.{key}"  # noqa: S608  names of our own tables
        f" AND p.left_at IS NULL AND p.organization_id = ANY {SCOPE})"
    )
    return _read_instead(
        table,
        read=f"({_own(table)} OR {party})",
        former=isolate_shared(table, party_table=party_table, column=column, key=key),
    )


def isolate_audience_while(
    table: str, *, party_table: str, column: str, key: str, has_all: bool = True
) -> Operation:
    """Show rows to their audience as far as they were written while it took part.

    Replaces what `isolate_audience` gave; the party table has `left_at` and `absences`.
    """
    party = (
        f"EXISTS (SELECT 1 FROM {party_table} p WHERE p.{column} = {table}.{key}"  # noqa: S608  names of our own tables
        f" AND p.organization_id = ANY {SCOPE}"
        f" AND (p.left_at IS NULL OR {table}.created_at <= p.left_at)"
        f" AND NOT EXISTS (SELECT 1 FROM unnest(p.absences) a WHERE {table}.created_at <@ a))"
    )
    named = f"{table}.audience && {SCOPE}"
    reaches = f"({named} OR {table}.for_all_parties)" if has_all else named
    return _read_instead(
        table,
        read=f"({_own(table)} OR ({reaches} AND {party}))",
        former=isolate_audience(
            table, party_table=party_table, column=column, key=key, has_all=has_all
        ),
    )


def in_scope_of_all(statements: str) -> Operation:
    """Run statements of a migration over rows of every organization; the owner is under policy."""
    return RunSQL(f"{TO_ALL}; {statements}; {TO_NONE};", RunSQL.noop)


def for_rows_of_all(step: Callable[[StateApps, BaseDatabaseSchemaEditor], None]) -> Operation:
    """Run a step of a migration over rows of every organization; the owner is under policy."""

    def run(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
        schema_editor.execute(TO_ALL)
        step(apps, schema_editor)
        schema_editor.execute(TO_NONE)

    return RunPython(run, RunPython.noop)


def isolate_addressed(table: str, *, column: str) -> Operation:
    """Show rows to their owner and to the one organization that a column names."""
    return _close(table, read=f"({_own(table)} OR {table}.{column} = ANY {SCOPE})")


def isolate_sent(table: str, *, act_table: str, column: str, key: str = "id") -> Operation:
    """Show rows to their owner and to those to whom an act of the owner's sent them."""
    sent = (
        f"EXISTS (SELECT 1 FROM {act_table} a WHERE a.{column} = {table}.{key}"  # noqa: S608  names of our own tables
        f" AND a.kind = 'sent' AND a.organization_id = {table}.organization_id"
        f" AND a.counterpart_id = ANY {SCOPE})"
    )
    return _close(table, read=f"({_own(table)} OR {sent})")


def isolate_named(table: str, *, by_table: str, column: str) -> Operation:
    """Show rows to their owner and to those to whom a row of the owner's that names them is."""
    named = (
        f"EXISTS (SELECT 1 FROM {by_table} a WHERE a.{column} = {table}.id"  # noqa: S608  names of our own tables
        f" AND a.organization_id = {table}.organization_id AND a.counterpart_id = ANY {SCOPE})"
    )
    return _close(table, read=f"({_own(table)} OR {named})")


def append_only(table: str) -> Operation:
    """Refuse updates and deletions by the application."""
    return RunSQL(
        f"REVOKE UPDATE, DELETE ON {table} FROM {APPLICATION}",
        f"GRANT UPDATE, DELETE ON {table} TO {APPLICATION}",
    )


def lookup_function(
    name: str, *, argument: str, returns: str, body: str, tables: tuple[str, ...]
) -> Operation:
    """Make a look-up that works before a scope exists.

    Ids only, owned by a role that reads just these tables. The search path ends with pg_temp: where
    it is not named, temporary tables of whoever calls would come before the real ones.
    """
    grants = "".join(
        f"GRANT SELECT ON {table} TO {LOOKUP};"
        f"DROP POLICY IF EXISTS lookup ON {table};"
        f"CREATE POLICY lookup ON {table} FOR SELECT TO {LOOKUP} USING (true);"
        for table in tables
    )
    return RunSQL(
        f"""
        {grants}
        CREATE FUNCTION {name}({argument}) RETURNS {returns} LANGUAGE sql STABLE SECURITY DEFINER
            SET search_path = pg_catalog, public, pg_temp AS $body$ {body} $body$;
        GRANT CREATE ON SCHEMA public TO {LOOKUP};
        ALTER FUNCTION {name} OWNER TO {LOOKUP};
        REVOKE CREATE ON SCHEMA public FROM {LOOKUP};
        REVOKE ALL ON FUNCTION {name} FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION {name} TO {APPLICATION};
        """,
        f"DROP FUNCTION {name}",
    )


def _read_instead(table: str, *, read: str, former: RunSQL) -> RunSQL:
    """Put another condition in the place of who may read; the rest of the policies stays."""
    former_policy = next(
        line for line in str(former.sql).splitlines() if "CREATE POLICY scope_read" in line
    )
    return RunSQL(
        f"DROP POLICY scope_read ON {table};"
        f" CREATE POLICY scope_read ON {table} FOR SELECT USING ({read});",
        f"DROP POLICY scope_read ON {table}; {former_policy.strip()}",
    )


def _own(table: str) -> str:
    return f"{table}.organization_id = ANY {SCOPE}"


def _close(table: str, *, read: str) -> RunSQL:
    own = _own(table)
    return RunSQL(
        f"""
        ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
        ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
        CREATE POLICY scope_read ON {table} FOR SELECT USING ({read});
        CREATE POLICY scope_insert ON {table} FOR INSERT WITH CHECK ({own});
        CREATE POLICY scope_update ON {table} FOR UPDATE USING ({own}) WITH CHECK ({own});
        CREATE POLICY scope_delete ON {table} FOR DELETE USING ({own});
        """,
        f"""
        DROP POLICY scope_delete ON {table};
        DROP POLICY scope_update ON {table};
        DROP POLICY scope_insert ON {table};
        DROP POLICY scope_read ON {table};
        ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;
        ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
        """,
    )
