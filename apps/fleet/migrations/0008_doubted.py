"""Say of an attempt that an exception was printed which may not have ended it."""

from django.db import migrations

import apps.tenancy.database.reported_times


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0007_pending_refusals"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="doubted_at",
            field=apps.tenancy.database.reported_times.ReportedTimeField(null=True),
        ),
    ]
