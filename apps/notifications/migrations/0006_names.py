"""What was told, heard and tried is called cursor, liveness and attempt; the tables stay."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    """Renames in the state alone."""

    dependencies: ClassVar = [("notices", "0005_told_repeats")]
    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                operation
                for former, name in (
                    ("Told", "IncidentCursor"),
                    ("Hearing", "SourceLiveness"),
                    ("Try", "DeliveryAttempt"),
                )
                for operation in (
                    migrations.RenameModel(former, name),
                    migrations.AlterModelTable(name, f"notices_{former.lower()}"),
                )
            ]
        )
    ]
