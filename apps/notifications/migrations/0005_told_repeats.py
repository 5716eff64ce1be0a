"""Stops that say again what was told are told together, with their number."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notices", "0004_delivery_wakes"),
    ]

    operations = [
        migrations.AddField(
            model_name="told",
            name="repeats",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
