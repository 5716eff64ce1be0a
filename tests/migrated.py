"""A database with all tables, made once in a run: each process copies it for its tests.

Bringing an empty one up to date takes ten times as long as a copy.
"""

import fcntl
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connections

from tests.quick_states import quick_states

# What a copy does not take along: who may do what with the database itself.
GIVEN = """
SELECT DISTINCT privilege_type, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
FROM pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) WHERE datname = %s
"""


def take_as_template() -> None:
    """Let this process's database of tests be made from one whose tables stand.

    Only in the servers of this run: elsewhere the portal's own database is somebody's.
    """
    if not settings.PORTAL_EMBEDS_DATABASE:
        return
    owner = connections["owner"]
    mark = Path(settings.PORTAL_VAR) / "migrated"
    with mark.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the run's other processes wait here
        if not mark.exists():
            with quick_states():
                call_command("migrate", database="owner", verbosity=0)
            mark.touch()
    connections.close_all()  # PostgreSQL copies nothing that somebody is connected to
    owner.settings_dict["TEST"]["TEMPLATE"] = owner.settings_dict["NAME"]


def take_rights() -> None:
    """Give each role the rights on this process's database that it has on its template."""
    owner = connections["owner"]
    template = owner.settings_dict["TEST"].get("TEMPLATE")
    if not template:
        return
    database = owner.ops.quote_name(owner.settings_dict["NAME"])
    with owner.cursor() as cursor:
        cursor.execute(f"REVOKE ALL ON DATABASE {database} FROM PUBLIC")
        cursor.execute(GIVEN, [template])
        for right, role in cursor.fetchall():
            cursor.execute(f"GRANT {right} ON DATABASE {database} TO {role}")
