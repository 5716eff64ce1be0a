"""Early warnings are called so; their table keeps its name."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    """No change of the database."""

    dependencies: ClassVar = [("telemetry", "0017_episode_statement")]
    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("Episode", "EarlyWarning"),
                migrations.AlterModelTable("EarlyWarning", "telemetry_episode"),
            ]
        )
    ]
