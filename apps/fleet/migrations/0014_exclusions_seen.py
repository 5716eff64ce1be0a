"""Keep of each exclusion when a list last said that it is in force."""

from django.db import migrations

import apps.tenancy.database.reported_times


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0013_lost_gpus"),
    ]

    operations = [
        migrations.AddField(
            model_name="nodeexclusion",
            name="seen_at",
            field=apps.tenancy.database.reported_times.ReportedTimeField(null=True),
        ),
    ]
