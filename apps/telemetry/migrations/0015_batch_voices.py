"""How many label sets a batch holds: what is read at once is bounded by them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("telemetry", "0014_authority"),
    ]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="voice_count",
            field=models.PositiveIntegerField(default=1),
        ),
    ]
