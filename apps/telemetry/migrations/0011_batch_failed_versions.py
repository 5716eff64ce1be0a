"""Which versions of the reading code gave a batch up: a newer one tries it once more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0010_days_from_the_first"),
    ]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="failed_versions",
            field=models.CharField(blank=True, default="", max_length=300),
            preserve_default=False,
        ),
    ]
