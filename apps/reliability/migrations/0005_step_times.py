"""Keep how long steps took, and how many tokens went through."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("reliability", "0004_report_signatures")]

    operations: ClassVar = [
        migrations.AddField("attemptmeasure", "step_seconds", models.FloatField(null=True)),
        migrations.AddField("attemptmeasure", "tokens_per_second", models.FloatField(null=True)),
    ]
