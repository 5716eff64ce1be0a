"""Evidence says whether its holder runs what it tells of, or only claims it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("incidents", "0005_left_before"),
    ]

    operations = [
        migrations.AddField(
            model_name="evidenceitem",
            name="is_claimed",
            field=models.BooleanField(default=False),
        ),
    ]
