"""What metrics show is judged by the parts that its owner had when the portal knew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0013_submission"),
    ]

    operations = [
        migrations.AddField(
            model_name="anomaly",
            name="received_at",
            field=models.DateTimeField(null=True),
        ),
    ]
