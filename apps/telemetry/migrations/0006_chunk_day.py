"""The day on which a chunk's batch came in, before chunks are kept apart by it.

What is there keeps the day of no calendar here, so that no row is written anew: the table as it
is becomes one partition among others. Every step may be repeated after an interruption, and the
two indexes and the check are made beside whoever writes.
"""

from django.db import migrations, models

from apps.tenancy.database.migration_locks import lock_patiently

BEFORE_DAYS = "DATE '1970-01-01'"
LOCKED = lock_patiently("telemetry_logchunk IN ACCESS EXCLUSIVE MODE")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("telemetry", "0005_keeping_indexes"),
    ]

    operations = [
        migrations.RunSQL(
            LOCKED
            + f"""
            ALTER TABLE telemetry_logchunk
                ADD COLUMN IF NOT EXISTS arrived_on date NOT NULL DEFAULT {BEFORE_DAYS};
            """,
            "ALTER TABLE telemetry_logchunk DROP COLUMN arrived_on",
            state_operations=[
                migrations.AddField(
                    model_name="logchunk",
                    name="arrived_on",
                    field=models.DateField(),
                    preserve_default=False,
                ),
                migrations.RemoveConstraint(model_name="logchunk", name="chunk_once"),
                migrations.AddConstraint(
                    model_name="logchunk",
                    constraint=models.UniqueConstraint(
                        fields=["organization", "stream", "batch", "part", "arrived_on"],
                        name="chunk_once",
                    ),
                ),
            ],
        ),
        # One statement each: an index that is made beside writers needs a transaction of its own.
        *(
            migrations.RunSQL(statement, migrations.RunSQL.noop)
            for statement in (
                "DROP INDEX IF EXISTS chunk_key_before_days",
                (
                    "CREATE UNIQUE INDEX CONCURRENTLY chunk_key_before_days"
                    " ON telemetry_logchunk (id, arrived_on)"
                ),
                "DROP INDEX IF EXISTS chunk_once_before_days",
                (
                    "CREATE UNIQUE INDEX CONCURRENTLY chunk_once_before_days"
                    " ON telemetry_logchunk"
                    " (organization_id, stream_id, batch_id, part, arrived_on)"
                ),
                (
                    f"{LOCKED} ALTER TABLE telemetry_logchunk"
                    " DROP CONSTRAINT IF EXISTS chunk_before_days"
                ),
                (
                    f"{LOCKED} ALTER TABLE telemetry_logchunk ADD CONSTRAINT chunk_before_days"
                    f" CHECK (arrived_on = {BEFORE_DAYS}) NOT VALID"
                ),
                "ALTER TABLE telemetry_logchunk VALIDATE CONSTRAINT chunk_before_days",
            )
        ),
    ]
