"""What drops a day refuses what is no day of ours; the first days are there before the first row.

Without them a day that began in the default part would stay there until its rows go one by one.
"""

from django.db import migrations

DROP = """
CREATE OR REPLACE FUNCTION telemetry_drop_chunk_day(day date) RETURNS boolean
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
    -- A year before Christ is written as one after it: its day would pass for another's part.
    IF day < '1970-01-01' THEN
        RAISE EXCEPTION 'no day of which chunks are kept: %', day
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- What came after an older snapshot would not be seen below, and go.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'a day is dropped in a transaction that is read committed'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    -- One that was taken out of the table by hand is kept by whoever did it.
    IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass('public.' || part)
            AND inhparent = 'public.telemetry_logchunk'::regclass) THEN
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
"""

# Never waited for: what is held now is made by the retention, an hour later at the most.
FIRST_DAYS = """
DO $first$
BEGIN
    PERFORM telemetry_make_chunk_day((now() AT TIME ZONE 'UTC')::date + ahead)
        FROM generate_series(0, 7) AS ahead;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    NULL;
END
$first$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0009_quota"),
    ]

    operations = [
        migrations.RunSQL(DROP, migrations.RunSQL.noop),
        migrations.RunSQL(FIRST_DAYS, migrations.RunSQL.noop),
    ]
