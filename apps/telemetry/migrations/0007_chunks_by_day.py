"""Chunks become a table of days: what was there is one of them, the default one catches the rest.

No row is moved or read: the table as it is gets attached by its check and its indexes. Days are
made and dropped by two functions of the owner, because nobody else may; each takes a day alone,
and looks itself whether it may go.
"""

import django.contrib.postgres.functions
import django.db.models.deletion
from django.db import migrations, models

from apps.tenancy.database import isolation
from apps.tenancy.database.migration_locks import lock_patiently

# With those that its foreign keys name: they are made anew.
LOCKED = lock_patiently(
    "telemetry_logchunk IN ACCESS EXCLUSIVE MODE",
    "telemetry_batch, telemetry_logstream, tenancy_organization IN SHARE ROW EXCLUSIVE MODE",
)
CONVERT = """
DO $convert$
DECLARE
    former bigint;
    is_called boolean;
    indexes text[];
    keys text[][];
    each record;
    statement text;
BEGIN
    LOCK TABLE telemetry_logchunk IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('SELECT last_value, is_called FROM %s',
        pg_get_serial_sequence('telemetry_logchunk', 'id')) INTO former, is_called;
    SELECT array_agg(pg_get_indexdef(indexrelid)) INTO indexes FROM pg_index
        WHERE indrelid = 'telemetry_logchunk'::regclass AND NOT indisunique;
    SELECT array_agg(ARRAY[conname::text, pg_get_constraintdef(oid)]) INTO keys FROM pg_constraint
        WHERE conrelid = 'telemetry_logchunk'::regclass AND contype = 'f';

    FOR each IN SELECT conname FROM pg_constraint
        WHERE conrelid = 'telemetry_logchunk'::regclass AND contype IN ('p', 'u') LOOP
        EXECUTE format('ALTER TABLE telemetry_logchunk DROP CONSTRAINT %I', each.conname);
    END LOOP;
    ALTER TABLE telemetry_logchunk
        ADD CONSTRAINT chunk_key_before_days PRIMARY KEY USING INDEX chunk_key_before_days,
        ADD CONSTRAINT chunk_once_before_days UNIQUE USING INDEX chunk_once_before_days;
    FOR each IN SELECT indexrelid::regclass::text AS name FROM pg_index
        WHERE indrelid = 'telemetry_logchunk'::regclass AND NOT indisunique LOOP
        EXECUTE format('ALTER INDEX %s RENAME TO %I', each.name,
            left(trim(both '"' from each.name), 50) || '_before_days');
    END LOOP;
    ALTER TABLE telemetry_logchunk ALTER COLUMN id DROP IDENTITY;
    ALTER TABLE telemetry_logchunk RENAME TO telemetry_logchunk_d19700101;

    CREATE TABLE telemetry_logchunk (
        LIKE telemetry_logchunk_d19700101 INCLUDING CONSTRAINTS INCLUDING STORAGE
    ) PARTITION BY RANGE (arrived_on);
    CREATE SEQUENCE telemetry_logchunk_id_seq OWNED BY telemetry_logchunk.id;
    PERFORM setval('telemetry_logchunk_id_seq', former, is_called);
    ALTER TABLE telemetry_logchunk
        DROP CONSTRAINT chunk_before_days,
        ALTER COLUMN id SET DEFAULT nextval('telemetry_logchunk_id_seq'),
        -- For the version before this one, which doesn't know of days.
        ALTER COLUMN arrived_on SET DEFAULT (now() AT TIME ZONE 'UTC')::date,
        ADD CONSTRAINT telemetry_logchunk_pkey PRIMARY KEY (id, arrived_on),
        ADD CONSTRAINT chunk_once
            UNIQUE (organization_id, stream_id, batch_id, part, arrived_on);
    FOREACH statement IN ARRAY indexes LOOP
        EXECUTE statement;
    END LOOP;
    FOR number IN 1 .. array_length(keys, 1) LOOP
        EXECUTE format('ALTER TABLE telemetry_logchunk ADD CONSTRAINT %I %s',
            keys[number][1], keys[number][2]);
    END LOOP;
    ALTER TABLE telemetry_logchunk ATTACH PARTITION telemetry_logchunk_d19700101
        FOR VALUES FROM ('1970-01-01') TO ('1970-01-02');
    ALTER TABLE telemetry_logchunk_d19700101 DROP CONSTRAINT chunk_before_days;
    CREATE TABLE telemetry_logchunk_default PARTITION OF telemetry_logchunk DEFAULT;

    -- Only through the whole table: a part by its name answers nobody.
    ALTER TABLE telemetry_logchunk_default ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    DROP POLICY scope_read ON telemetry_logchunk_d19700101;
    DROP POLICY scope_insert ON telemetry_logchunk_d19700101;
    DROP POLICY scope_update ON telemetry_logchunk_d19700101;
    DROP POLICY scope_delete ON telemetry_logchunk_d19700101;
    REVOKE ALL ON telemetry_logchunk_d19700101, telemetry_logchunk_default FROM portal_app;
    GRANT SELECT, INSERT, UPDATE, DELETE ON telemetry_logchunk TO portal_app;
    GRANT USAGE, SELECT ON SEQUENCE telemetry_logchunk_id_seq TO portal_app;
END
$convert$;
"""

FUNCTIONS = """
CREATE FUNCTION telemetry_make_chunk_day(day date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $body$
DECLARE
    part text := 'telemetry_logchunk_d' || to_char(day, 'YYYYMMDD');
    today date := (now() AT TIME ZONE 'UTC')::date;
    former text := coalesce(current_setting('portal.organizations', true), '');
    is_late boolean;
BEGIN
    IF day IS NULL OR day < '2000-01-01' OR day > today + 31 THEN
        RAISE EXCEPTION 'no day of which chunks are kept: %', day
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF to_regclass('public.' || part) IS NOT NULL THEN
        RETURN false;
    END IF;
    PERFORM set_config('portal.organizations', coalesce((
        SELECT string_agg(id::text, ',') FROM public.tenancy_organization), ''), true);
    is_late := EXISTS (SELECT FROM public.telemetry_logchunk WHERE arrived_on = day);
    PERFORM set_config('portal.organizations', former, true);
    IF is_late THEN
        RETURN false;  -- its rows are in the default part and go one by one
    END IF;
    EXECUTE format('CREATE TABLE public.%I PARTITION OF public.telemetry_logchunk'
        ' FOR VALUES FROM (%L) TO (%L)', part, day, day + 1);
    EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
        part);
    EXECUTE format('REVOKE ALL ON public.%I FROM portal_app', part);
    RETURN true;
END
$body$;

CREATE FUNCTION telemetry_drop_chunk_day(day date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $body$
DECLARE
    part text := 'telemetry_logchunk_d' || to_char(day, 'YYYYMMDD');
    today date := (now() AT TIME ZONE 'UTC')::date;
    former text := coalesce(current_setting('portal.organizations', true), '');
    is_held boolean;
    has_unread boolean;
BEGIN
    IF day IS NULL OR day >= today THEN
        RAISE EXCEPTION 'the day % is not over', day USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF to_regclass('public.' || part) IS NULL THEN
        RETURN false;
    END IF;
    -- Nobody adds to the day or reads it from here on.
    LOCK TABLE ONLY public.telemetry_logchunk IN ACCESS EXCLUSIVE MODE;
    PERFORM set_config('portal.organizations', coalesce((
        SELECT string_agg(id::text, ',') FROM public.tenancy_organization), ''), true);
    has_unread := EXISTS (
        SELECT FROM public.telemetry_batch b WHERE b.state = 'accepted'
            AND b.received_at >= day::timestamp AT TIME ZONE 'UTC'
            AND b.received_at < (day + 1)::timestamp AT TIME ZONE 'UTC');
    -- Everything of every organization was looked through in this very transaction, and is old.
    is_held := EXISTS (
        SELECT FROM (
            SELECT c.organization_id, count(*) AS row_count, max(c.id) AS newest_id
            FROM public.telemetry_logchunk c WHERE c.arrived_on = day GROUP BY 1
        ) held LEFT JOIN public.telemetry_releasedday r
            ON r.organization_id = held.organization_id AND r.day = telemetry_drop_chunk_day.day
            AND r.row_count = held.row_count AND r.newest_id = held.newest_id
            AND r.released_at = now() AND r.day < today - r.days
        WHERE r.id IS NULL);
    IF has_unread OR is_held THEN
        RAISE EXCEPTION 'the day % holds what may not go (%)', day,
            CASE WHEN has_unread THEN 'bodies that wait' ELSE 'rows that nobody released' END
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    DELETE FROM public.telemetry_releasedday r WHERE r.day = telemetry_drop_chunk_day.day;
    PERFORM set_config('portal.organizations', former, true);
    EXECUTE format('DROP TABLE public.%I', part);
    RETURN true;
END
$body$;

REVOKE ALL ON FUNCTION telemetry_make_chunk_day, telemetry_drop_chunk_day FROM PUBLIC;
GRANT EXECUTE ON FUNCTION telemetry_make_chunk_day, telemetry_drop_chunk_day TO portal_app;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0006_chunk_day"),
        ("tenancy", "0003_kept_answer"),
    ]

    operations = [
        migrations.RunSQL(LOCKED),
        migrations.RunSQL(CONVERT),
        isolation.isolate("telemetry_logchunk"),
        migrations.CreateModel(
            name="ReleasedDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("days", models.PositiveIntegerField()),
                ("row_count", models.PositiveBigIntegerField()),
                ("newest_id", models.BigIntegerField()),
                (
                    "released_at",
                    models.DateTimeField(
                        db_default=django.contrib.postgres.functions.TransactionNow()
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.organization",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "day"), name="released_day_once"
                    )
                ],
            },
        ),
        isolation.isolate("telemetry_releasedday"),
        migrations.RunSQL(
            FUNCTIONS,
            "DROP FUNCTION telemetry_make_chunk_day, telemetry_drop_chunk_day",
        ),
    ]
