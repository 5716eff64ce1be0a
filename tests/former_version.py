"""A database as a former version left it, and its way up."""

from typing import Any

from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from tests.quick_states import quick_states


def migrate(*targets: tuple[str, str]) -> None:
    """Go to these migrations; without any, to the newest of all, as other tests need them."""
    executor = MigrationExecutor(connections["owner"])
    with quick_states():
        executor.migrate(list(targets) or executor.loader.graph.leaf_nodes())


def execute(statement: str, *values: Any) -> None:
    """Run SQL over rows of all organizations, as their owner."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT set_config('portal.organizations', (SELECT string_agg(id::text, ',')"
            " FROM tenancy_organization), false)"
        )
        cursor.execute(statement, values)
