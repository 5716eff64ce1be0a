"""Keep what else a session is called."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0008_doubted"),
    ]

    operations = [
        migrations.AddField(
            model_name="session",
            name="aliases",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=200), default=list, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="session",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["aliases"], name="session_aliases"
            ),
        ),
    ]
