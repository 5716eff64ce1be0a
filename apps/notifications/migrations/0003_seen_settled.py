"""That an incident settled is looked at, too: it may be somebody's turn."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notices", "0002_hearing_since"),
    ]

    operations = [
        migrations.AddField(
            model_name="told",
            name="seen_settled",
            field=models.BooleanField(default=False),
        ),
    ]
