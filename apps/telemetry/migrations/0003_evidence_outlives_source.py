"""Evidence stays when its source is removed; captures tell their size and time."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0002_pushed_metrics"),
    ]

    operations = [
        migrations.AddField(
            model_name="evidenceblock",
            name="source_name",
            field=models.CharField(blank=True, max_length=120),
        ),
        migrations.AddField(
            model_name="evidencecapture",
            name="byte_count",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="evidencecapture",
            name="seconds",
            field=models.FloatField(default=0.0),
        ),
        migrations.AddField(
            model_name="evidencecapture",
            name="source_name",
            field=models.CharField(blank=True, max_length=120),
        ),
        migrations.AlterField(
            model_name="evidenceblock",
            name="source",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="telemetry.source",
            ),
        ),
        migrations.AlterField(
            model_name="evidencecapture",
            name="source",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="telemetry.source",
            ),
        ),
    ]
