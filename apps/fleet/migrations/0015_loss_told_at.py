"""Keep of each attempt that lost GPUs when its job last told of anything."""

from django.db import migrations

import apps.tenancy.database.reported_times


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0014_exclusions_seen"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="loss_told_at",
            field=apps.tenancy.database.reported_times.ReportedTimeField(null=True),
        ),
    ]
