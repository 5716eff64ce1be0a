"""What runs with other rights looks at our tables alone, and the application makes none of its own.

A `search_path` that does not name `pg_temp` has it first: a temporary table of the application's
would stand for the real one inside a look-up. Nothing here needs temporary tables. Where somebody
else owns the schema or the database, what is not the owner's to revoke stays, with a warning of
PostgreSQL; docs/operations.md has the lines for its owner.
"""

from django.db import migrations

PATHS = """
ALTER FUNCTION portal_token(bytea) SET search_path = pg_catalog, public, pg_temp;
ALTER FUNCTION portal_memberships(bigint) SET search_path = pg_catalog, public, pg_temp;
ALTER FUNCTION portal_parties(bigint) SET search_path = pg_catalog, public, pg_temp;
"""

RIGHTS = """
DO $rights$
BEGIN
    EXECUTE format('REVOKE TEMPORARY, CREATE ON DATABASE %I FROM PUBLIC, portal_app, portal_lookup',
        current_database());
    REVOKE CREATE ON SCHEMA public FROM PUBLIC, portal_app, portal_lookup;
END
$rights$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0001_initial"),
        ("tenancy", "0008_failed_work"),
    ]

    operations = [
        migrations.RunSQL(PATHS, migrations.RunSQL.noop),
        migrations.RunSQL(RIGHTS, migrations.RunSQL.noop),
    ]
