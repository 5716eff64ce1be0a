"""What waits to be read says until when it is held, as all other work does, not since when.

What a worker of the former version held is free at once: its lease was of seconds.
"""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("telemetry", "0015_batch_voices")]
    operations: ClassVar = [
        migrations.RenameField(
            model_name="batch", old_name="enqueued_at", new_name="claimed_until"
        ),
        migrations.RenameField(
            model_name="pushedbody", old_name="enqueued_at", new_name="claimed_until"
        ),
    ]
