"""Silence counts from when the portal began to listen."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notices", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="hearing",
            name="listening_since",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="hearing",
            name="looked_at",
            field=models.DateTimeField(null=True),
        ),
    ]
