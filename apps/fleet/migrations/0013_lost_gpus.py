"""Keep of each attempt how many GPUs its job lost while it ran on."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("fleet", "0012_exclusions"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="lost_gpu_count",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="attempt",
            name="alive_gpu_count",
            field=models.PositiveIntegerField(null=True),
        ),
    ]
