"""Which connection changes the schema."""

from typing import Any


class OwnerMigrates:
    """Let migrations run as the owner of the tables; the application role may not."""

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        """Say whether a schema change of an app may run on this connection."""
        return db == "owner"
