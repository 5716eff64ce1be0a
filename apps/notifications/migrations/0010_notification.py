"""Notifications are called by the field's word; their table keeps its name."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    """No change of the database."""

    dependencies: ClassVar = [("notices", "0009_seen_steps")]
    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("Notice", "Notification"),
                migrations.AlterModelTable("Notification", "notices_notice"),
            ]
        )
    ]
