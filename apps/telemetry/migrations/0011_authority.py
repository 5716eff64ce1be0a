"""What metrics show is judged by the parts that its owner had when the portal knew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0010_days_from_the_first"),
    ]

    operations = [
        migrations.AddField(
            model_name="anomaly",
            name="received_at",
            field=models.DateTimeField(null=True),
        ),
    ]
