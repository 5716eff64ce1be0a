"""Locks that a migration waits for without holding up who comes behind it."""

TRIES = 700  # of two seconds and three between them: about an hour


def lock_patiently(*locks: str) -> str:
    """Return SQL that takes locks like `a_table IN ACCESS EXCLUSIVE MODE` for a transaction.

    Who reads for long (a backup) is waited for, up to an hour; everybody else waits two seconds at
    a time, not for as long as that takes. One text of it and a statement is one transaction.
    """
    wanted = "\n".join(f"LOCK TABLE {each};" for each in locks)
    return f"""
DO $patience$
DECLARE
    former text := current_setting('lock_timeout');
BEGIN
    FOR number IN 1 .. {TRIES} LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '2s', true);
            {wanted}
            EXIT;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            IF number = {TRIES} THEN
                RAISE;
            END IF;
        END;
        PERFORM pg_sleep(3);
    END LOOP;
    PERFORM set_config('lock_timeout', former, true);
END
$patience$;
"""
