"""A stop knows which later one says the same: lists say them in one line."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0006_authority"),
    ]

    operations = [
        migrations.AddField(
            model_name="incident",
            name="followed_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="incidents.incident",
            ),
        ),
        migrations.AddField(
            model_name="incident",
            name="is_further",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
